import { METRICS } from '../../parts/chart/metrics.ts'
import { TypedInput } from '../../parts/typed-input.tsx'
import { type Texts, useQuery } from '../../parts/use-query.ts'

const GROUPS = {
  model: 'Model',
  requested_model: 'Requested model',
  provider: 'Provider',
  key: 'Key',
  project: 'Project',
  user: 'User',
  end_user: 'End user',
  session: 'Session',
  client: 'Program',
  agent: 'Agent',
  endpoint: 'Endpoint',
  status: 'Status',
  owner: 'Owner',
  organization: 'Organization',
}
const TAG = 'tag:'

/** What the table is grouped by: one of the groups, or `tag:<name>`. */
export function groupNamed({ group }: Texts): string {
  if (group?.startsWith(TAG) && group.length > TAG.length) return group
  return group && group in GROUPS ? group : 'model'
}

export function Choices() {
  const { query, change } = useQuery()
  const isTag = query.group?.startsWith(TAG) ?? false
  return (
    <>
      <label>
        Metric
        <select value={query.metric ?? 'cost'} onChange={(event) => change({ metric: event.currentTarget.value })}>
          {Object.entries(METRICS).map(([name, { title }]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        Group by
        <select
          value={isTag ? TAG : groupNamed(query)}
          onChange={(event) => change({ group: event.currentTarget.value })}
        >
          {Object.entries(GROUPS).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
          <option value={TAG}>Tag</option>
        </select>
      </label>
      {isTag && (
        <div class="field">
          <label for="tag-name">Tag name</label>
          <TypedInput
            id="tag-name"
            value={query.group!.slice(TAG.length)}
            placeholder="team"
            onSettle={(text) => change({ group: `${TAG}${text}` })}
          />
        </div>
      )}
    </>
  )
}
