import type { ComponentChildren } from 'preact'
import type { RequestRecord } from '../../../src/contract/admin/requests.ts'
import { pathWith } from '../../api/client.ts'
import { duration, moment } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import { tagsText } from './columns.tsx'

type Row = [title: string, value: ComponentChildren, filter?: { name: string; value: string }]

/** Each value that can be a filter leads to the calls that have it too. */
export function Summary({ call }: { call: RequestRecord }) {
  const rows = rowsOf(call).filter(([, value]) => value !== null && value !== '')
  return (
    <dl class="facts">
      {rows.map(([title, value, filter]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{filter ? <a href={pathWith('/requests', { [filter.name]: filter.value })}>{value}</a> : value}</dd>
        </div>
      ))}
    </dl>
  )
}

function rowsOf(call: RequestRecord): Row[] {
  const { model, requested_model: asked, provider, key, key_name, project, project_name, user, end_user } = call
  return [
    ['Status', <Status key="status" status={call.status} code={call.code} />],
    ['Time', moment(call.at)],
    ['Duration', duration(call.duration_ms)],
    ['First token', call.first_token_ms === null ? null : duration(call.first_token_ms)],
    ['Requested', asked, { name: 'requested_model', value: asked ?? '' }],
    [hasAnswered(call) ? 'Answered by' : 'Last tried', model, { name: 'model', value: model }],
    ['Provider', provider, { name: 'provider', value: provider }],
    ['Endpoint', `${call.endpoint}${call.stream ? ', streamed' : ''}`],
    ['Key', key_name ?? key, { name: 'key', value: key }],
    ['Project', project_name ?? project, { name: 'project', value: project }],
    ['User', call.user_name ?? user, { name: 'user', value: user ?? '' }],
    ['End user', end_user, { name: 'end_user', value: end_user ?? '' }],
    [
      'Session',
      call.session && <a href={pathWith('/agent-sessions', { session: call.session, last: '30d' })}>{call.session}</a>,
    ],
    ['Program', call.client, { name: 'client', value: call.client ?? '' }],
    ['Agent', call.agent, { name: 'agent', value: call.agent ?? '' }],
    ['Started by', call.parent_agent, { name: 'agent', value: call.parent_agent ?? '' }],
    ['Tags', tagsText(call.tags)],
    ['Trace', call.trace_id],
  ]
}

/** A call that was given up, or that broke off, has a model that did not answer it. */
function hasAnswered({ status, code }: RequestRecord): boolean {
  return status < 400 && code === null
}
