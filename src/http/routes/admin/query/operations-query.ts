import type { FastifyRequest } from 'fastify'
import { JOB_FILTER_STATES } from '../../../../contract/admin/jobs.ts'
import { DELIVERY_STATES } from '../../../../contract/operations.ts'
import Type from '../../../../schema/type.ts'
import { readCount, readText, readTime, readUuid, readWord } from '../../../query.ts'
import { knownQuery } from './line-filter-query.ts'

// The filters of jobs and webhooks, in queries and in bodies.

const MAX_CHARS = 300
const MAX_STATUS = 599

type Query = Record<string, unknown>

/** For /docs. */
export const WITH_CONTENT = Type.Object({
  content: Type.Optional(
    Type.Boolean({ default: false, description: 'Also what is in it. That is an entry of the audit log.' }),
  ),
})

export function asksForContent({ query }: FastifyRequest): boolean {
  const text = readText('content', (query as Query).content, MAX_CHARS)
  return readWord('content', text, ['true', 'false'], 'false') === 'true'
}

export function jobFilterIn(request: FastifyRequest, known: Query) {
  const fields = knownQuery(request, known)
  const status = textIn(fields, 'status')
  return {
    ...(status !== undefined && { status: readWord('status', status, JOB_FILTER_STATES, 'processing') }),
    ...textsIn(fields, ['project', 'owner', 'feature', 'subfeature', 'provider']),
    ...timesIn(fields),
  }
}

export function deliveryFilterIn(request: FastifyRequest, known: Query) {
  const fields = knownQuery(request, known)
  const state = textIn(fields, 'state')
  const status = textIn(fields, 'last_status')
  return {
    ...(state !== undefined && { state: readWord('state', state, DELIVERY_STATES, 'pending') }),
    ...(status !== undefined && { lastStatus: readCount('last_status', status, 0, MAX_STATUS) }),
    jobId: readUuid('job_id', fields.job_id),
    ...textsIn(fields, ['project', 'owner', 'receiver']),
    ...timesIn(fields),
  }
}

/** The filter of a body, whose times are texts that have been checked. */
export function timesAsNumbers<Filter extends { from?: string; to?: string }>({ from, to, ...rest }: Filter) {
  return { ...rest, ...(from && { from: Date.parse(from) }), ...(to && { to: Date.parse(to) }) }
}

function timesIn(fields: Query): { from?: number; to?: number } {
  const [from, to] = [textIn(fields, 'from'), textIn(fields, 'to')]
  return {
    ...(from !== undefined && { from: readTime('from', from, 0) }),
    ...(to !== undefined && { to: readTime('to', to, 0) }),
  }
}

function textsIn<Name extends string>(fields: Query, names: readonly Name[]): Partial<Record<Name, string>> {
  const found = names.map((name) => [name, textIn(fields, name)] as const)
  return Object.fromEntries(found.filter(([, text]) => text !== undefined)) as Partial<Record<Name, string>>
}

function textIn(fields: Query, name: string): string | undefined {
  return readText(name, fields[name], MAX_CHARS)
}
