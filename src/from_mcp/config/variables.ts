/**
 * Variables in the texts of a config: `${NAME}`, `${NAME:-default}`, `${env:NAME}`.
 *
 * In: a text, and an environment. Out: the text with its variables replaced, or what stands in the way.
 * One pass: what a variable holds is never read as a variable again, so a value from outside cannot name another one.
 * What has the shape of no variable (`${x%y}` of a shell) stays as it is written.
 */

/** The environment that variables are looked up in. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Why a reference could not be replaced; `variable` is its name as far as it has one. */
export interface VariableFault {
  readonly variable: string
  readonly message: string
}

const REFERENCE = /\$\{([^}]*)\}/g
const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/
const FOREIGN = /^(input|config|command):/
const EDITOR_OWN = new Set(["workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator", "/"])

/** A text with its variables replaced; each one that could not be is told to `onFault`. As in a shell, a default stands in for an empty value too. */
export function expandVariables(text: string, env: Environment, onFault: (fault: VariableFault) => void): string {
  return text.replace(REFERENCE, (whole, inner: string) => {
    const foreign = FOREIGN.exec(inner)
    if (foreign !== null) {
      onFault({ variable: inner, message: foreignMessage(foreign[1] ?? "", inner) })
      return whole
    }
    const [, name, otherwise] = VARIABLE.exec(inner) ?? []
    if (name === undefined) {
      if (EDITOR_OWN.has(inner)) onFault({ variable: inner, message: editorMessage(inner) })
      return whole
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (otherwise !== undefined) return value === undefined || value === "" ? otherwise : value
    if (value !== undefined) return value
    onFault({
      variable: name,
      message: EDITOR_OWN.has(name) ? editorMessage(name) : `the variable ${name} is not set; set it, or write \${${name}:-default}`,
    })
    return whole
  })
}

/** The names of the variables that a text asks for, each once. Nothing is looked up. */
export function variablesIn(text: string): string[] {
  const names = new Set<string>()
  for (const [, inner = ""] of text.matchAll(REFERENCE)) {
    const name = FOREIGN.test(inner) || EDITOR_OWN.has(inner) ? inner : VARIABLE.exec(inner)?.[1]
    if (name !== undefined) names.add(name)
  }
  return [...names]
}

function foreignMessage(kind: string, inner: string): string {
  const shown = inner.slice(0, 80)
  return kind === "input"
    ? `\${${shown}} asks a person in the editor, which cannot be done here; write \${NAME} and set the variable NAME`
    : `\${${shown}} is resolved by the editor only; write \${NAME} and set the variable NAME`
}

function editorMessage(name: string): string {
  return `\${${name}} is resolved by the editor only; write the path itself, or set a variable of that name`
}
