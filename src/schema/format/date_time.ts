/**
 * The formats of RFC 3339: `date`, `time`, `date-time`, and `duration` of its appendix A.
 *
 * In: a text. Out: true where it is of the format. A leap second is one where the offset takes it to 23:59:60 in UTC; on which
 * days there was one is not asked, since no table of them holds for the future.
 */

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[zZ]|([+-])(\d{2}):(\d{2}))$/
const DURATION_DATE = String.raw`\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D`
const DURATION_TIME = String.raw`T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)`
const DURATION = new RegExp(`^P(?:\\d+W|(?:${DURATION_DATE})(?:${DURATION_TIME})?|${DURATION_TIME})$`)

const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const MINUTES_OF_DAY = 24 * 60

/** `full-date`: a day that the Gregorian calendar has. */
export function isDate(text: string): boolean {
  const found = DATE.exec(text)
  if (found === null) return false
  const [year = 0, month = 0, day = 0] = found.slice(1).map(Number)
  const leapDay = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0
  return day >= 1 && day <= (DAYS_OF_MONTH[month - 1] ?? 0) + leapDay
}

/** `full-time`: a time of day with its offset from UTC. */
export function isTime(text: string): boolean {
  const found = TIME.exec(text)
  if (found === null) return false
  const [hour = 0, minute = 0, second = 0] = found.slice(1, 4).map(Number)
  const [offsetHour = 0, offsetMinute = 0] = found.slice(5).map((part) => Number(part || 0))
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false
  const offset = (offsetHour * 60 + offsetMinute) * (found[4] === "-" ? -1 : 1)
  const minuteInUTC = (hour * 60 + minute - offset + MINUTES_OF_DAY) % MINUTES_OF_DAY
  return second < 60 || minuteInUTC === MINUTES_OF_DAY - 1
}

/** `date-time`: both, with a T between them. */
export function isDateTime(text: string): boolean {
  return (text[10] === "T" || text[10] === "t") && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

/** `duration`: whole numbers with units in order, none left out between the largest and the smallest. */
export function isDuration(text: string): boolean {
  return DURATION.test(text)
}
