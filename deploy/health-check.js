// The health check of the image: `node health-check.js live|ready [port]`. It is JavaScript, because Node strips no types in the
// image. A process with the role `worker` answers on its admin port only: give that port.
import http from 'node:http'
import https from 'node:https'

const [question = 'live', port = process.env.PORT || '8080'] = process.argv.slice(2)
const LIMIT_MS = 4_000
const SHOWN_CHARS = 200

// The config file may have the certificate too, and is not read here.
const [likely, other] = process.env.TLS_CERT_FILE ? [https, http] : [http, https]

try {
  const { status, text } = await ask(likely).catch((error) => ask(other).catch(() => Promise.reject(error)))
  console.log(`${status} ${text.slice(0, SHOWN_CHARS)}`)
  process.exitCode = status === 200 ? 0 : 1
} catch (error) {
  console.log(`no answer: ${error.code ?? error.name}`)
  process.exitCode = 1
}

/** The certificate is for the gateway's public name, and this is the same machine, so it is not checked. */
function ask({ get }) {
  const options = { rejectUnauthorized: false, signal: AbortSignal.timeout(LIMIT_MS / 2) }
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path: `/health/${question}`, ...options }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      answer.on('end', () => resolve({ status: answer.statusCode, text })).on('error', reject)
    })
    request.on('error', reject)
  })
}
