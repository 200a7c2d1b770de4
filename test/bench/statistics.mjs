/**
 * The statistics of the benches: medians, and the interval they are good to.
 */

/** The middle value of a list of numbers. */
export function median(values) {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The 95 % interval of the median, by ranks: no shape of the distribution is assumed. */
export function interval(values) {
  const sorted = [...values].sort((one, other) => one - other)
  const n = sorted.length
  // The largest rank k for which a binomial(n, 1/2) is below k with a chance of at most 2.5 %.
  let chance = 0.5 ** n
  let sum = chance
  let rank = 0
  while (rank + 1 < n / 2 && sum + (chance * (n - rank)) / (rank + 1) <= 0.025) {
    chance = (chance * (n - rank)) / (rank + 1)
    sum += chance
    rank++
  }
  return [sorted[rank], sorted[n - 1 - rank]]
}
