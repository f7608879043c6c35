/** The JSON values in the `data` of a stream of events. The last event may be cut off, and `[DONE]` is not JSON. */
export function eventsIn(text: string): unknown[] {
  const whole = text.slice(0, text.lastIndexOf('\n\n') + 1)
  const lines = whole.split('\n').filter((line) => line.startsWith('data:'))
  const values = lines.map((line) => line.slice('data:'.length).trim())
  return values.filter((value) => value !== '[DONE]').map((value) => JSON.parse(value))
}
