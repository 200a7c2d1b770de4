/**
 * What the editor refuses: the import fences, undocumented exports, oversized files, and what strict typing leaves open.
 *
 * In: the table of `.import-fences.cjs`. Out: one flat config for src, test and the tool files.
 * Imports are fenced three ways, since no rule sees all: boundaries knows rooms and doors, no-restricted-imports the packages,
 * no-restricted-syntax the dynamic imports that the second one does not look at.
 */
import js from "@eslint/js"
import { defineConfig, globalIgnores } from "eslint/config"
import { createTypeScriptImportResolver } from "eslint-import-resolver-typescript"
import boundaries from "eslint-plugin-boundaries"
import { importX } from "eslint-plugin-import-x"
import jsdoc from "eslint-plugin-jsdoc"
import tseslint from "typescript-eslint"
import fences from "./.import-fences.cjs"

const { core, doors, dynamicOnly, nodeAllowed, packages, demoServer } = fences
const rooms = Object.keys(doors)
const escape = (text) => text.replace(/[/.]/g, "\\$&")

/** The rooms and doors as boundaries' file categories, and what each may import. */
const category = { room: (name) => `room ${name}`, door: (name) => `door ${name}` }
const toFiles = (categories) => ({ to: { file: { categories } } })
const boundaryPolicies = rooms.flatMap((name) => [
  {
    from: { file: { categories: category.room(name) } },
    allow: toFiles([category.room(name), ...doors[name].map(category.door)]),
    message: `The room ${name} may import its own files and the doors of: ${doors[name].join(", ") || "no room"}.`,
  },
  {
    from: { file: { categories: category.door(name) } },
    allow: toFiles([category.room(name), ...doors[name].map(category.door)]),
    message: `The door ${name} may import its own room and the doors of: ${doors[name].join(", ") || "no room"}.`,
  },
])

/** The packages and node modules that a place in src may name; every other bare specifier is refused. */
function packageFence(files, { room, node = false, sdkServer = false }) {
  const allowed = Object.entries(packages)
    .filter(([, owners]) => owners === "*" || owners.includes(room))
    .map(([name]) => `${escape(name)}(?:$|\\/)`)
  const sdk = "@modelcontextprotocol\\/sdk\\/"
  const clientSide = allowed.map((start) =>
    start.startsWith("@modelcontextprotocol") ? `${sdk}(?!(?:experimental\\/tasks\\/)?server)` : start,
  )
  const starts = ["\\.{1,2}\\/", ...clientSide, ...(sdkServer ? [sdk] : []), ...(node ? ["node:"] : [])]
  const refused = `^(?!${starts.join("|")})`
  const message = "This place may not import that package or node module: see .import-fences.cjs."
  return {
    files,
    rules: {
      "no-restricted-imports": ["error", { patterns: [{ regex: refused, message }] }],
      "no-restricted-syntax": [
        "error",
        ...everywhere,
        { selector: `ImportExpression > Literal[value=/${refused}/]`, message },
        { selector: `TSImportType > Literal[value=/${refused}/], TSImportType Literal[value=/${refused}/]`, message },
      ],
    },
  }
}

const everywhere = [{ selector: "ExportAllDeclaration", message: "A door lists its names one by one." }]

const packageFences = [
  ...rooms.map((room) => packageFence([`src/${room}.ts`, `src/${room}/**/*.ts`], { room })),
  ...nodeAllowed.map((path) =>
    packageFence([path.endsWith("/") ? `src/${path}**/*.ts` : `src/${path}`], { room: path.split(/[/.]/)[0], node: true }),
  ),
  packageFence([demoServer], { room: "cli", node: true, sdkServer: true }),
]

/** `as` needs its reason beside it: a comment in its statement, or right above that statement or one around it in the function. */
const reasonForAs = {
  meta: { type: "suggestion", messages: { bare: "Say in a comment why this `as` is true, or check instead." }, schema: [] },
  create(context) {
    const isStatement = (node) => /Statement$|Declaration$|^SwitchCase$|^Property(Definition)?$|^MethodDefinition$/.test(node.type)
    const isFunction = (node) => node.type === "FunctionDeclaration" || node.type === "MethodDefinition"
    return {
      TSAsExpression(node) {
        if (node.typeAnnotation.type === "TSTypeReference" && node.typeAnnotation.typeName.name === "const") return
        const ancestors = context.sourceCode.getAncestors(node)
        const inFunction = ancestors.slice(ancestors.findLastIndex(isFunction) + 1).filter(isStatement)
        const inner = inFunction.at(-1) ?? node
        const told = context.sourceCode.getAllComments().some(({ loc }) => {
          const above = inFunction.some((statement) => loc.end.line === statement.loc.start.line - 1)
          return above || (loc.end.line >= inner.loc.start.line - 1 && loc.start.line <= node.loc.end.line)
        })
        if (!told) context.report({ node, messageId: "bare" })
      },
    }
  },
}

export default defineConfig(
  globalIgnores(["dist", "node_modules", ".cache", "coverage", "test/fixtures/consumer"]),
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["**/*.ts"],
    extends: [js.configs.recommended, tseslint.configs.strictTypeChecked, importX.flatConfigs.typescript],
    plugins: { "import-x": importX },
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: [] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    settings: {
      "import-x/resolver-next": [createTypeScriptImportResolver({ project: ["tsconfig.json", "test/tsconfig.json"], noWarnOnMultipleProjects: true })],
    },
    rules: {
      "import-x/no-cycle": ["error", { ignoreExternal: true }],
      "import-x/no-self-import": "error",
      "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
      "no-restricted-syntax": ["error", ...everywhere],
      eqeqeq: ["error", "always"],
      // Terminals, JSON and TypeBox all have control characters that they refuse, and this is where they are looked for.
      "no-control-regex": "off",
      "no-misleading-character-class": ["error", { allowEscape: true }],
      "@typescript-eslint/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrors: "none", ignoreRestSiblings: true }],
      // An async function without await is how a throw becomes a rejection; a template may show numbers and booleans.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true, allowNever: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true }],
      // What was caught, or is a signal's reason, may be passed on as it came: it is mapped to CallError at one place only.
      "@typescript-eslint/only-throw-error": ["error", { allowThrowingAny: true, allowThrowingUnknown: true, allowRethrowing: true }],
      "@typescript-eslint/prefer-promise-reject-errors": ["error", { allowThrowingAny: true, allowThrowingUnknown: true }],
      // Members of JSON objects have computed names, and leaving one out is what some of these files are for.
      "@typescript-eslint/no-dynamic-delete": "off",
    },
  },
  {
    files: ["src/**/*.ts"],
    plugins: { boundaries, jsdoc, local: { rules: { "reason-for-as": reasonForAs } } },
    settings: {
      "import/resolver": { typescript: { project: "tsconfig.json" } },
      "boundaries/root-path": import.meta.dirname,
      "boundaries/legacy-templates": false,
      "boundaries/files-single-match": true,
      "boundaries/files": rooms.flatMap((name) => [
        { category: category.door(name), pattern: `src/${name}.ts` },
        { category: category.room(name), pattern: `src/${name}/**/*.ts` },
      ]),
      jsdoc: { mode: "typescript" },
    },
    rules: {
      "boundaries/dependencies": [
        "error",
        {
          default: "disallow",
          checkInternals: true,
          checkUnknownLocals: true,
          policies: [
            ...boundaryPolicies,
            {
              from: { file: { categories: category.room(dynamicOnly.room), path: `**/${dynamicOnly.file}` } },
              allow: { ...toFiles([category.door(dynamicOnly.door)]), dependency: { nodeKind: "dynamic-import" } },
            },
            { disallow: { to: { file: { path: `**/${demoServer}` } } }, message: "The demo server is a program of its own." },
          ],
        },
      ],
      "boundaries/no-unknown-files": "error",
      "no-console": "error",
      "local/reason-for-as": "error",
      "jsdoc/require-jsdoc": [
        "error",
        {
          publicOnly: { esm: true, cjs: false },
          enableFixer: false,
          require: { FunctionDeclaration: true, ClassDeclaration: true, ArrowFunctionExpression: false, FunctionExpression: false, MethodDefinition: false },
          contexts: [
            "TSInterfaceDeclaration",
            "TSEnumDeclaration",
            // The Static type of a schema shares the schema's name and its doc block.
            "TSTypeAliasDeclaration:not([typeAnnotation.typeName.name='Static'])",
            "ExportNamedDeclaration > VariableDeclaration",
          ],
        },
      ],
      "jsdoc/require-description": ["error", { contexts: ["any"], checkConstructors: false }],
      "jsdoc/no-types": "error",
      "jsdoc/check-tag-names": ["error", { typed: true, definedTags: ["internal"] }],
      "jsdoc/check-param-names": ["error", { checkDestructured: false }],
      "jsdoc/check-alignment": "error",
      "jsdoc/no-undefined-types": "off",
    },
  },
  {
    // These rooms run wherever the root door is imported, a browser included.
    files: [...core, "index"].flatMap((name) => [`src/${name}.ts`, `src/${name}/**/*.ts`]),
    rules: {
      "no-restricted-globals": ["error", "process", "Buffer", "global", "require", "setImmediate", "clearImmediate", "__dirname", "__filename"],
    },
  },
  ...packageFences,
  { files: ["src/cli.ts", "src/cli/**/*.ts"], rules: { "no-console": "off" } },
  {
    files: ["test/**/*.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        ...everywhere,
        { selector: "MemberExpression[object.name=/^(describe|test|it|suite)$/][property.name='only']", message: "It would hide every other test." },
      ],
      // Tests feed wrong values on purpose and read answers whose shape they state themselves.
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/no-unnecessary-condition": "off",
      "@typescript-eslint/no-empty-function": "off",
      "no-sparse-arrays": "off",
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/use-unknown-in-catch-callback-variable": "off",
      // A table of inputs and expected values is long and still one concept.
      "max-lines": ["error", { max: 500, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // Type tests declare what only the compiler looks at.
    files: ["test/**/*.test-d.ts"],
    rules: {
      "@typescript-eslint/no-unused-vars": "off",
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-meaningless-void-operator": "off",
      "@typescript-eslint/no-unused-expressions": "off",
    },
  },
  {
    // No project holds it, and it states nothing that types would catch.
    files: ["vitest.config.ts"],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { parserOptions: { projectService: false } },
  },
  { files: ["**/*.{js,cjs,mjs}"], rules: { "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }], "no-undef": "off" } },
)
