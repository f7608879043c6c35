/** Of the month in UTC, as roll-ups of usage have it. */
export function monthStart(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString()
}
