/**
 * Door of the code generator: discovered operations as TypeScript modules, and types of a file as operations.
 *
 * Makes texts; only `writeFiles` touches the disk.
 */
export { generateModules, generateSchemas, type GeneratedFile, type GeneratedSchemas, type GenerateOptions } from "./codegen/generate.js"
export { type UnprintedSchema } from "./codegen/foreign_module.js"
export { FOREIGN_TARGETS, type ForeignTarget } from "./codegen/foreign_schema.js"
export { operationsFromTypes, type FromTypesOptions } from "./codegen/from_types.js"
export { type ModuleOptions } from "./codegen/server_module.js"
export { writeFiles, type WriteOptions, type WrittenFiles } from "./codegen/write.js"
