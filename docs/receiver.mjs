// Receives one webhook, checks that it is the gateway's, prints what it says and ends. RECEIVER is where it listens.

import { createServer } from 'node:http'
import { verify } from '../src/http/docs/receivers/node.mjs'

const { RECEIVER, API, GATEHOUSE_API_KEY } = process.env
const headers = { authorization: `Bearer ${GATEHOUSE_API_KEY}` }
const publicKey = await (await fetch(`${API}/webhooks/public-key`, { headers })).text()

const server = createServer(async (request, response) => {
  if (request.method === 'GET') return response.end('"listening"\n')
  const body = Buffer.concat(await request.toArray())
  response.writeHead(204).end()
  const isGenuine = verify(body, request.headers['x-service-signature'], publicKey)
  console.log(JSON.stringify(isGenuine ? JSON.parse(body).output.raw_text : 'this is not from the gateway'))
  server.close()
  server.closeIdleConnections()
}).listen(new URL(RECEIVER).port, '127.0.0.1')
