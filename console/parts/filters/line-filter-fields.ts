import type { QueryName } from '../../api/client.ts'
import type { FilterField } from './filter-bar.tsx'

const YES_NO = { true: 'Yes', false: 'No' }

type Shared = QueryName<'/admin/requests'> & QueryName<'/admin/usage'> & QueryName<'/admin/agent-sessions'>

/** Every filter that requests, usage and sessions share, except the time. */
export const LINE_FILTER_FIELDS: readonly FilterField<Shared>[] = [
  { name: 'failed', label: 'Outcome', choices: { true: 'Failed', false: 'Succeeded' } },
  { name: 'model', label: 'Model', from: 'model', placeholder: 'openai/gpt-4o' },
  { name: 'key', label: 'Key', from: 'key', placeholder: 'Name of a key' },
  { name: 'project', label: 'Project', from: 'project', placeholder: 'Name of a project' },
  { name: 'requested_model', label: 'Requested model', from: 'requested_model' },
  { name: 'provider', label: 'Provider', from: 'provider', placeholder: 'openai' },
  { name: 'endpoint', label: 'Endpoint', from: 'endpoint', placeholder: 'chat' },
  { name: 'status', label: 'Status', placeholder: '429 or 5xx' },
  { name: 'code', label: 'Error code', placeholder: 'upstream_timeout' },
  { name: 'fallback', label: 'Fallback', choices: YES_NO },
  { name: 'guardrail', label: 'Guardrail', from: 'guardrail', placeholder: 'pii or pii:blocked' },
  { name: 'user', label: 'User', from: 'user', placeholder: 'Name of a person' },
  { name: 'end_user', label: 'End user', from: 'end_user' },
  { name: 'session', label: 'Session', from: 'session' },
  { name: 'batch', label: 'Batch', placeholder: 'Batch ID' },
  { name: 'client', label: 'Program', from: 'client', placeholder: 'claude-code' },
  { name: 'agent', label: 'Agent', from: 'agent' },
  { name: 'owner', label: 'Owner', from: 'owner' },
  { name: 'organization', label: 'Organization', from: 'organization' },
  { name: 'tag', label: 'Tag', from: 'tag', placeholder: 'team=search' },
  { name: 'min_cost', label: 'Min. cost, USD', isNumber: true },
  { name: 'max_cost', label: 'Max. cost, USD', isNumber: true },
  { name: 'min_duration_ms', label: 'Min. duration, ms', isNumber: true },
  { name: 'max_duration_ms', label: 'Max. duration, ms', isNumber: true },
]
