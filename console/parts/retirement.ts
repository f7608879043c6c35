/** `retires 2026-12-01`, or `retired` once the day has come. */
export function retirement(day: string): string {
  return `${Date.parse(day) <= Date.now() ? 'retired' : 'retires'} ${day.slice(0, 10)}`
}
