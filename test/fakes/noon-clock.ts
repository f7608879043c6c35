/** A clock that shows noon when it is made. No hour, day or month ends while a test with it runs. */
export function noonClock(): () => number {
  const ahead = new Date().setUTCHours(12, 0, 0, 0) - Date.now()
  return () => Date.now() + ahead
}
