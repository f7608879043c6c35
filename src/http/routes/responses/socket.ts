import type { FastifyReply, FastifyRequest } from 'fastify'
import { WebSocketServer } from 'ws'
import { ErrorBody } from '../../../contract/errors.ts'
import { problem } from '../../../contract/problems.ts'
import { route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'
import { ResponseSocket } from '../../websocket/response-socket.ts'
import { takeConnection } from '../../websocket/upgrade-requests.ts'
import { MB } from '../../../base/units/units.ts'

export default route({
  method: 'GET',
  path: '/v3/responses',
  access: 'key',
  scope: 'chat',
  isWebSocket: true,
  summary: 'Create responses over a WebSocket',
  description:
    'Each text frame is the body of a response with `"type": "response.create"`, and each event of the answer is a frame. A connection ' +
    'makes one response at a time. `previous_response_id` may name the last response of the connection, also if `store` is false. With ' +
    '`"generate": false` no model is asked, and the next frame continues from the input. An error of a request is a frame ' +
    'of type `error` with its `status`.',
  replies: {
    101: { description: 'The connection is a WebSocket now.' },
    426: { description: 'The request does not ask for a WebSocket.', schema: ErrorBody },
  },
  handle,
})

const WEBSOCKET_VERSION = '13'
const KEY = /^[+/0-9A-Za-z]{22}==$/

function handle(request: FastifyRequest, reply: FastifyReply, services: HttpServices): void {
  const { raw, caller } = request
  const { calls, edge, sockets } = services
  const { server } = request.server
  if (raw.headers.upgrade?.toLowerCase() !== 'websocket')
    throw problem('websocket_only', { headers: { upgrade: 'websocket' } })
  if (raw.headers['sec-websocket-version'] !== WEBSOCKET_VERSION || !KEY.test(raw.headers['sec-websocket-key'] ?? ''))
    throw problem('bad_request', {
      message: 'The headers of the WebSocket are not valid. Send version 13 and a key of 16 bytes.',
      headers: { 'sec-websocket-version': WEBSOCKET_VERSION },
    })
  sockets.enter(caller.owner, raw.socket)
  const connection = takeConnection(reply)
  if (!connection) return
  // Compression would let a small frame become a large one.
  const handshake = new WebSocketServer({
    noServer: true,
    maxPayload: calls.config.bodyLimitMb * MB,
    perMessageDeflate: false,
    clientTracking: false,
    autoPong: false,
  })
  handshake.handleUpgrade(raw, connection.socket, connection.head, (socket) => {
    const parts = { socket, opening: raw, server, owner: caller.owner, pingMs: edge.heartbeatMs, services: calls }
    sockets.add(new ResponseSocket(parts), raw.socket)
  })
}
