// The health check of the image: `node health-check.js live|ready [port]`. It is JavaScript, because Node strips no types in the
// image. A process with the role `worker` answers on its admin port only: give that port.
const [question = 'live', port = process.env.PORT || '8080'] = process.argv.slice(2)
const LIMIT_MS = 4_000

try {
  const answer = await fetch(`http://127.0.0.1:${port}/health/${question}`, { signal: AbortSignal.timeout(LIMIT_MS) })
  console.log(`${answer.status} ${(await answer.text()).slice(0, 200)}`)
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  console.log(`no answer: ${error.cause?.code ?? error.name}`)
  process.exitCode = 1
}
