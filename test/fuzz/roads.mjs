/**
 * Every road on which a converted schema can be asked about a value, and whether they all say the same.
 *
 * In: the library under test, TypeBox, a schema with its options. Out: a function of a value: undefined when all roads agree, else what each
 * of them said. The exact evaluator is one of the roads, by way of `collectErrors`; so is the schema made of the result's own JSON.
 */
export function roadsOf({ FromSchema, compile, collectErrors }, { Type, Value, TypeCompiler }, schema, options) {
  const converted = FromSchema(schema, options)
  // The JSON says its dialect itself.
  const reading = { ...options, dialect: undefined }
  const compiled = TypeCompiler.Compile(converted)
  const again = FromSchema(JSON.parse(JSON.stringify(converted)), reading)
  const inHost = Type.Object({ required: converted, optional: Type.Optional(converted), list: Type.Optional(Type.Array(converted)) })
  const hostCompiled = TypeCompiler.Compile(inHost)
  const hostAgain = FromSchema(JSON.parse(JSON.stringify(inHost)), reading)
  const own = compile(converted)
  return (value) => {
    const held = { required: value, optional: value, list: [value] }
    const answers = {
      check: Value.Check(converted, value),
      compiled: compiled.Check(value),
      errors: Value.Errors(converted, value).First() === undefined,
      own: own(value),
      exact: collectErrors(converted, value).length === 0,
      again: Value.Check(again, value),
      inHost: Value.Check(inHost, held),
      inHostCompiled: hostCompiled.Check(held),
      inHostAgain: Value.Check(hostAgain, held),
    }
    if (new Set(Object.values(answers)).size > 1) return answers
    // A required property is missing on every road, whatever it would accept.
    const missing = { check: Value.Check(inHost, {}), compiled: hostCompiled.Check({}) }
    return missing.check || missing.compiled ? { ...answers, missing } : undefined
  }
}
