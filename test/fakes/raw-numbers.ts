/** Parses JSON so that JSON.stringify writes every number with the digits that it had. */
export function withRawNumbers(text: string): unknown {
  const keepDigits = (_key: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' ? JSON.rawJSON(source!) : value
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
}
