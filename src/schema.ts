/**
 * Door of the schemas: JSON Schema to TypeBox, checking with JSON pointers, and bringing a value to its schema.
 *
 * Knows nothing of operations or MCP. Nothing is ever fetched.
 */
export { SchemaIssue } from "./schema/issue.js"
export { DataChange } from "./schema/data_change.js"
