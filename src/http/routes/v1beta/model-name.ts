import type { FastifyRequest } from 'fastify'
import type { AppContext } from '../../../app/context.ts'
import { Problem } from '../../../contract/problems.ts'
import { findAnyModel } from '../../../routing/find-model.ts'
import { isRouterValue } from '../../../routing/router/router-value.ts'

/** The providers of Google's own models. Clients of this format write the names of its models without a provider. */
const GOOGLES = ['google', 'vertex']

/** The model that the path of a request names. A name that means nothing here is one of Google's. */
export function modelIn({ params }: FastifyRequest, context: AppContext): string {
  const { model, '*': rest = '' } = params as { model?: string; '*'?: string }
  const name = (model ?? rest).replace(/^models\//, '')
  if (isRouterValue(name) || isKnown(name, context) || name.includes('/')) return name
  const { providers } = context.config
  const provider = GOOGLES.find((id) => providers[id]?.configured) ?? GOOGLES[0]!
  return `${provider}/${name}`
}

function isKnown(name: string, context: AppContext): boolean {
  try {
    return findAnyModel(name, context) !== undefined
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
