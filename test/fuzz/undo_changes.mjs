/**
 * The judge of a change report: takes the changes back.
 *
 * In: the data of an envelope and its full list of changes. Out: what was sent, if the report is whole.
 * Added members are found in the data and go first, the last element of an array before the others; removed ones are put
 * back where they were sent, the first element before the others; then replaced values stand where they stood.
 */
export function undoChanges(data, changes) {
  const root = { whole: structuredClone(data) }
  const of = (kind) => changes.filter((change) => change.kind === kind).map((change) => ({ ...change, steps: stepsOf(change.path) }))
  for (const { steps } of of("added").sort((left, right) => -compare(left.steps, right.steps))) {
    const [parent, key] = locate(root, steps)
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
  }
  for (const { steps, from } of of("removed").sort((left, right) => compare(left.steps, right.steps))) {
    const [parent, key] = locate(root, steps)
    if (Array.isArray(parent)) parent.splice(Number(key), 0, from)
    else put(parent, key, from)
  }
  for (const { steps, from } of of("replaced")) {
    const [parent, key] = locate(root, steps)
    put(parent, key, from)
  }
  return root.whole
}

function stepsOf(pointer) {
  if (pointer === "") return []
  return pointer.slice(1).split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
}

function locate(root, steps) {
  const path = ["whole", ...steps]
  let parent = root
  for (const step of path.slice(0, -1)) parent = parent[step]
  return [parent, path.at(-1)]
}

function compare(left, right) {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    if (left[index] === right[index]) continue
    const numbers = Number(left[index]) - Number(right[index])
    return Number.isNaN(numbers) || numbers === 0 ? (left[index] < right[index] ? -1 : 1) : numbers
  }
  return left.length - right.length
}

function put(object, key, value) {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}
