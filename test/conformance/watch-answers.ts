import type { FastifyInstance } from 'fastify'
import { API_ROUTES } from '../../src/http/routes/api-routes.ts'
import { ADMIN_ROUTES } from '../../src/http/routes/admin-routes.ts'
import { documentedUrl, urlOfAgent } from '../../src/http/paths/other-paths.ts'
import { openapiDocument } from '../../src/http/openapi/document.ts'
import type { Gateway } from '../../src/server/gateway.ts'
import { answerChecker, type CheckAnswer } from './check-answer.ts'
import { recordAnswer } from './record-answer.ts'

// Compares every answer of a gateway with the OpenAPI document of its listener, on its way to the socket.

const MOST_FOUND = 20

/** All gateways of a process have the same documents, so their schemas are compiled once. */
let checks: { api: CheckAnswer; admin: CheckAnswer } | undefined

/** Returns the answers so far that are not as documented. */
export function watchAnswers({ api, admin }: Pick<Gateway, 'api' | 'admin'>): () => string[] {
  checks ??= {
    api: answerChecker(openapiDocument(API_ROUTES)),
    admin: answerChecker(openapiDocument(ADMIN_ROUTES)),
  }
  const found: string[] = []
  const watch = ({ server }: FastifyInstance, check: CheckAnswer) => watchServer(server, check, found)
  watch(api, checks.api)
  watch(admin, checks.admin)
  return () => found
}

export function watchServer(server: FastifyInstance['server'], check: CheckAnswer, found: string[]): void {
  server.prependListener('request', ({ method = '', url: written = '', headers }, response) => {
    const url = documentedUrl(urlOfAgent(written), headers)
    const recorded = recordAnswer(response)
    response.once('finish', () => {
      const answer = { method, url, status: response.statusCode, contentType: recorded.contentType() }
      const fault = check({ ...answer, body: recorded.body(), isWhole: recorded.isWhole() })
      if (fault && found.length < MOST_FOUND) found.push(fault)
    })
  })
}
