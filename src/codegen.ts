/**
 * Door of the code generator: discovered operations as TypeScript modules.
 *
 * Makes texts; only `writeFiles` touches the disk.
 */
export { generateModules, type GeneratedFile, type GenerateOptions } from "./codegen/generate.js"
export { type ModuleOptions } from "./codegen/server_module.js"
export { writeFiles, type WriteOptions, type WrittenFiles } from "./codegen/write.js"
