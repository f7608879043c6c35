import type { MadeKeys } from './first-start.ts'

/** Printed when the first start created keys, which are shown only here. */
export function welcome(base: string, admin: string, made: MadeKeys): void {
  if (!made.client && !made.admin) return
  const lines = ['', `  Gatehouse is running at ${base}/v3   (docs: ${base}/docs)`, '']
  if (made.client) lines.push(`  API key (shown only once):    ${made.client}`)
  if (made.admin) lines.push(`  Admin key (shown only once):  ${made.admin}   for ${admin}/admin`)
  if (made.client) lines.push('', '  Try it:', '', curl(base, made.client))
  process.stdout.write(`${lines.join('\n')}\n\n`)
}

function curl(base: string, key: string): string {
  const body = '{"model":"sandbox/echo","messages":[{"role":"user","content":"Hello, gatehouse!"}]}'
  const headers = `-H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`
  return `curl ${base}/v3/chat/completions ${headers} -d '${body}'`
}
