// A collector that reads what it gets and keeps nothing, as a program: `node collector.ts <port>`. Its CPU is not the gateway's.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'))
})
server.keepAliveTimeout = 120_000
server.listen(Number(process.argv[2]), '127.0.0.1')
