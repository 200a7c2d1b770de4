/**
 * Proves on the whole graph of `src` what ESLint shows file by file, and what only a graph can show: reachability, circles, orphans.
 *
 * In: the table of `.import-fences.cjs`. Type imports count like values: knowledge points one way, whether it is compiled or not.
 */
"use strict"

const { builtinModules } = require("node:module")
const { doors, dynamicOnly, nodeAllowed, packages, innerDoors, demoServer } = require("./.import-fences.cjs")

const rooms = Object.keys(doors)
const escape = (text) => text.replace(/[/.]/g, "\\$&")
const door = (name) => `^src/${name}\\.ts$`
const inPackage = (name) => `(^|/)node_modules/${escape(name)}(/|$)|^${escape(name)}(/|$)`
const builtins = `^(node:)?(${builtinModules.filter((name) => !name.startsWith("_")).map(escape).join("|")})$`

const roomRules = rooms.map((name) => ({
  name: `room-${name}`,
  comment: `${name} imports its own files and the doors of: ${doors[name].join(", ") || "no room"}.`,
  severity: "error",
  from: { path: [door(name), `^src/${name}/`], ...(name === dynamicOnly.room ? { pathNot: `^${escape(dynamicOnly.file)}$` } : {}) },
  to: { path: "^src/", pathNot: [`^src/${name}/`, ...doors[name].map(door)] },
}))

const dynamicRules = [
  {
    name: "one-crossing",
    comment: `${dynamicOnly.file} imports what its room may, and loads the door ${dynamicOnly.door}.`,
    severity: "error",
    from: { path: `^${escape(dynamicOnly.file)}$` },
    to: { path: "^src/", pathNot: [`^src/${dynamicOnly.room}/`, ...[...doors[dynamicOnly.room], dynamicOnly.door].map(door)] },
  },
  {
    name: "one-crossing-is-dynamic",
    comment: `${dynamicOnly.file} loads ${dynamicOnly.door} when it is used, not before.`,
    severity: "error",
    from: { path: `^${escape(dynamicOnly.file)}$` },
    to: { path: door(dynamicOnly.door), dynamic: false },
  },
]

const packageRules = Object.entries(packages)
  .filter(([, owners]) => owners !== "*")
  .map(([name, owners]) => ({
    name: `package-${name.replace(/^@/, "").replace("/", "-")}`,
    comment: `${name} is imported in ${owners.join(", ")} only.`,
    severity: "error",
    from: {
      path: "^src/",
      pathNot: [...owners.flatMap((room) => [door(room), `^src/${room}/`]), ...(name === "@modelcontextprotocol/sdk" ? [`^${escape(demoServer)}$`] : [])],
    },
    to: { path: inPackage(name) },
  }))

const innerDoorRules = Object.entries(innerDoors).map(([file, name]) => ({
  name: `inner-door-${name.replace(/^@/, "").replace("/", "-")}`,
  comment: `${name} is imported in ${file} only, so that nothing else needs it, not even as a type.`,
  severity: "error",
  from: { path: "^src/", pathNot: `^${escape(file)}$` },
  to: { path: inPackage(name) },
}))

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...roomRules,
    ...dynamicRules,
    ...packageRules,
    ...innerDoorRules,
    {
      name: "package-without-a-room",
      comment: "A package that src imports is listed with its rooms in .import-fences.cjs.",
      severity: "error",
      from: { path: "^src/" },
      to: { pathNot: ["^src/", builtins, ...Object.keys(packages).map(inPackage)] },
    },
    {
      name: "node-places",
      comment: "node:* is imported only where .import-fences.cjs says.",
      severity: "error",
      from: { path: "^src/", pathNot: nodeAllowed.map((path) => `^src/${escape(path)}${path.endsWith("/") ? "" : "$"}`) },
      to: { path: builtins },
    },
    {
      name: "sdk-server-side",
      comment: "The server side of the MCP SDK belongs to the demo server.",
      severity: "error",
      from: { path: "^src/", pathNot: `^${escape(demoServer)}$` },
      to: { path: "@modelcontextprotocol/sdk/(dist/)?((esm|cjs)/)?(experimental/tasks/)?server" },
    },
    {
      name: "demo-server-is-a-program",
      comment: "Nothing imports the demo server; it is started.",
      severity: "error",
      from: {},
      to: { path: `^${escape(demoServer)}$` },
    },
    {
      name: "root-door-reaches-no-mcp",
      comment: "Importing the package root loads nothing of the MCP SDK.",
      severity: "error",
      from: { path: door("index") },
      to: { path: "@modelcontextprotocol/", reachable: true },
    },
    {
      name: "root-door-reaches-no-node",
      comment: "The package root runs where node:* does not exist.",
      severity: "error",
      from: { path: door("index") },
      to: { path: builtins, reachable: true },
    },
    {
      name: "no-circles",
      // A circle that holds a type import loads nothing, and types that recurse through several files cannot be cut: the
      // room rules above still keep such a circle inside one room.
      comment: "Files that load each other are one concept.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-orphans",
      comment: "A file that nothing imports and that is no door is left over.",
      severity: "error",
      from: { orphan: true, pathNot: ["^src/[^/]+\\.ts$", `^${escape(demoServer)}$`] },
      to: {},
    },
    {
      name: "reached-from-a-door",
      comment: "Files that only import each other are left over too.",
      severity: "error",
      from: { path: ["^src/[^/]+\\.ts$", ...Object.keys(innerDoors).map((file) => `^${escape(file)}$`)] },
      to: { path: "^src/", pathNot: ["^src/[^/]+\\.ts$", ...Object.keys(innerDoors).map((file) => `^${escape(file)}$`), `^${escape(demoServer)}$`], reachable: false },
    },
    { name: "resolvable", comment: "Every import resolves.", severity: "error", from: { path: "^src/" }, to: { couldNotResolve: true } },
    {
      name: "no-development-package",
      comment: "What src imports is installed with the package.",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["npm-peer"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
}
