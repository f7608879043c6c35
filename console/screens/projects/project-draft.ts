import type { CreateProjectRequest, ProjectBody, UpdateProjectRequest } from '../../../src/contract/admin/projects.ts'
import type { Policy } from '../../../src/contract/admin/policy.ts'
import { wordsIn } from '../../parts/fields.tsx'

/** What the person has typed so far. An empty text restricts nothing. */
export type ProjectDraft = {
  name: string
  id: string
  share: 'project' | 'key'
  region: '' | 'global' | 'eu' | 'us'
  models: string
  endpoints: string
  dataPolicy: '' | 'no_training' | 'zero_retention'
  content: ProjectBody['content']['mode']
  contentDays: string
  contentBytes: string
  inSpans: string
  managersRead: 'true' | 'false'
}

export type FieldsProps = { draft: ProjectDraft; set: (changes: Partial<ProjectDraft>) => void }

export const EMPTY_PROJECT: ProjectDraft = {
  name: '',
  id: '',
  share: 'project',
  region: '',
  models: '',
  endpoints: '',
  dataPolicy: '',
  content: 'off',
  contentDays: '7',
  contentBytes: '8192',
  managersRead: 'false',
  inSpans: 'false',
}

export function draftOf({ name, id, share, region, policy, content }: ProjectBody): ProjectDraft {
  return {
    name,
    id,
    share,
    region: region ?? '',
    models: policy?.models?.join(' ') ?? '',
    endpoints: policy?.endpoints?.join(' ') ?? '',
    dataPolicy: policy?.data_policy ?? '',
    content: content.mode,
    contentDays: String(content.days ?? 7),
    contentBytes: String(content.bytes_per_field ?? 8_192),
    managersRead: content.managers_read ? 'true' : 'false',
    inSpans: content.in_spans ? 'true' : 'false',
  }
}

export function requestOf(draft: ProjectDraft): CreateProjectRequest {
  const { name, id, share, region } = draft
  const policy = policyOf(draft, null)
  return { name, share, ...(id && { id }), ...(region && { region }), ...(policy && { policy }) }
}

/** Only what differs: to name `share` is refused while something is stored. */
export function changesOf(draft: ProjectDraft, before: ProjectBody): UpdateProjectRequest {
  const all: UpdateProjectRequest = {
    name: draft.name,
    share: draft.share,
    region: draft.region || null,
    policy: policyOf(draft, before.policy),
    content: contentOf(draft, before.content),
  }
  const was = { ...before, content: contentOf(draftOf(before), before.content) } as Record<string, unknown>
  const isChanged = ([member, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(was[member])
  return Object.fromEntries(Object.entries(all).filter(isChanged))
}

/** What is not in the form stays. */
function policyOf({ models, endpoints, dataPolicy }: ProjectDraft, before: Policy | null): Policy | null {
  const { models: _models, endpoints: _endpoints, data_policy: _data, ...rest } = before ?? {}
  const [allowed, paths] = [wordsIn(models), wordsIn(endpoints)]
  const policy = {
    ...(allowed.length > 0 && { models: allowed }),
    ...(paths.length > 0 && { endpoints: paths as NonNullable<Policy['endpoints']> }),
    ...(dataPolicy && { data_policy: dataPolicy }),
    ...rest,
  }
  return Object.keys(policy).length > 0 ? policy : null
}

function contentOf(draft: ProjectDraft, before: ProjectBody['content']): ProjectBody['content'] {
  const { content: mode, contentDays, contentBytes, managersRead, inSpans } = draft
  const amounts = { days: Number(contentDays), bytes_per_field: Number(contentBytes) }
  return { ...before, mode, ...amounts, managers_read: managersRead === 'true', in_spans: inSpans === 'true' }
}
