import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../platform/config/config.ts'
import { isRecord, textOf } from '../../../base/schema/record.ts'
import type { JsonBody } from '../../../translation/json/parse-body.ts'
import { OAuthError } from '../../../contract/agents.ts'
import { ownUrl } from '../../edge/own-url.ts'
import type { HttpServices } from '../../route.ts'

// What the routes of the gateway protocol for Claude Code have in common. `forceLoginGatewayUrl` is their base address.

/** All of them, and the page for the code, are off until the config file turns them on. */
export function agentsAreOn({ agents }: Config): boolean {
  return agents.signIn
}

const BASE = '/v3/claude'

export function agentBase(request: FastifyRequest, services: HttpServices): string {
  return `${ownUrl(request, services)}${BASE}`
}

/** Where the terminal is. */
export function originOfAgent({ clientAddress, id }: FastifyRequest): { ip: string; request: string } {
  return { ip: clientAddress, request: id }
}

/** A field of a form, or of JSON, which some clients send instead. Empty if it is missing or there are two. */
export function fieldOf({ body }: FastifyRequest, name: string): string {
  if (typeof body === 'string') {
    const values = new URLSearchParams(body).getAll(name)
    return values.length === 1 ? values[0]! : ''
  }
  const value = (body as JsonBody | undefined)?.value
  return isRecord(value) ? textOf(value[name]) : ''
}

export const OAUTH_REPLIES = {
  400: { description: 'The error code of OAuth.', schema: OAuthError },
  413: { description: 'The form is too large.', schema: OAuthError },
  415: { description: 'The body is not a form.', schema: OAuthError },
  422: { description: 'The body cannot be read.', schema: OAuthError },
  429: { description: 'There were too many attempts.', schema: OAuthError },
  503: { description: 'The store is not reachable.', schema: OAuthError },
}

export function refuse(reply: FastifyReply, error: string, description: string): FastifyReply {
  return reply.code(400).send({ error, error_description: description } satisfies OAuthError)
}
