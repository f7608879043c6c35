import type { QueryName } from '../api/client.ts'
import type { FilterField } from './filter-bar.tsx'

const YES_NO = { true: 'Yes', false: 'No' }

/** Every filter that `GET /admin/requests` and `GET /admin/usage` share, except the time. */
export const LINE_FILTER_FIELDS: readonly FilterField<QueryName<'/admin/requests'> & QueryName<'/admin/usage'>>[] = [
  { name: 'failed', label: 'Outcome', isCommon: true, choices: { true: 'Failed', false: 'Answered' } },
  { name: 'model', label: 'Model', isCommon: true, placeholder: 'openai/gpt-4o' },
  { name: 'key', label: 'Key', isCommon: true, placeholder: 'id of a key' },
  { name: 'project', label: 'Project', isCommon: true, placeholder: 'id of a project' },
  { name: 'requested_model', label: 'Asked-for model' },
  { name: 'provider', label: 'Provider', placeholder: 'openai' },
  { name: 'endpoint', label: 'Endpoint', placeholder: 'chat' },
  { name: 'status', label: 'Status', placeholder: '429 or 5xx' },
  { name: 'code', label: 'Error code', placeholder: 'upstream_timeout' },
  { name: 'fallback', label: 'Fallback', choices: YES_NO },
  { name: 'user', label: 'User' },
  { name: 'end_user', label: 'End user' },
  { name: 'owner', label: 'Owner' },
  { name: 'organization', label: 'Organization' },
  { name: 'tag', label: 'Tag', placeholder: 'team=search' },
  { name: 'min_cost', label: 'Cost from, USD', isNumber: true },
  { name: 'max_cost', label: 'Cost to, USD', isNumber: true },
  { name: 'min_duration_ms', label: 'Duration from, ms', isNumber: true },
  { name: 'max_duration_ms', label: 'Duration to, ms', isNumber: true },
]
