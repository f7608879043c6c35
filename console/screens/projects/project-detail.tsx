import { useState } from 'preact/hooks'
import type { ProjectBody } from '../../../src/contract/admin/projects.ts'
import { pathTo, pathWith, sendJson } from '../../api/client.ts'
import { may, mayIn } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useSend } from '../../api/use-send.ts'
import { ApplyingLimits } from '../../parts/applying-limits.tsx'
import { callAll } from '../../parts/call-all.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { moment } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { contentText } from './columns.tsx'
import { DeleteProject } from './delete-project.tsx'
import { changesOf, draftOf } from './project-draft.ts'
import { ProjectFields } from './project-fields.tsx'

/** The gateway itself puts keys into these, so it refuses to delete them. */
const BUILT_IN = ['personal', 'default']

type Props = { id: string; onChanged: () => void }

export function ProjectDetail({ id, onChanged }: Props) {
  const { change } = useQuery()
  const { value: project, error, reload } = useAnswer(pathTo('/admin/projects/{project}', { project: id }))
  const close = () => change({ project: undefined })
  const changed = callAll(reload, onChanged)
  const removed = callAll(onChanged, close)
  return (
    <Dialog title={project?.name ?? id} isDrawer onClose={close}>
      <Failure error={error} onRetry={reload} />
      {!project && !error && <Loading what="the project" />}
      {project && <ProjectFacts of={project} />}
      <Links id={id} />
      <ProjectLimits id={id} />
      {project && mayIn('projects.write', scopeOf(project)) && (
        <ChangeProject key={project.updated_at} before={project} onChanged={changed} />
      )}
      {project && mayIn('projects.create', scopeOf(project)) && !BUILT_IN.includes(id) && (
        <DeleteProject id={id} name={project.name} onRemoved={removed} />
      )}
    </Dialog>
  )
}

function scopeOf({ id, organization }: ProjectBody) {
  return { organization, project: id }
}

function ProjectFacts({ of: project }: { of: ProjectBody }) {
  const { id, organization, share, region, policy, content, created_at: created } = project
  const facts = {
    Id: id,
    Organization: organization,
    'May use': policy?.models?.join(', ') ?? 'all models',
    Endpoints: policy?.endpoints?.join(', ') ?? 'all',
    Region: region ?? 'as its keys',
    Providers: policy?.data_policy?.replace('_', ' '),
    Hooks: [...(policy?.pre_hooks ?? []), ...(policy?.post_hooks ?? [])].length || undefined,
    Contents: contentText(content),
    'Files of': `the ${share}`,
    Created: moment(created),
  }
  return <Facts of={facts} />
}

function Links({ id }: { id: string }) {
  return (
    <p class="links-line">
      {may('usage.read') && <a href={pathWith('/requests', { project: id, last: '30d' })}>Its requests</a>}
      {may('usage.read') && <a href={pathWith('/usage', { project: id })}>Its usage</a>}
      {may('members.read') && <a href={pathWith('/projects', { view: 'people', project: id })}>Its members</a>}
    </p>
  )
}

/** What limits the project is more than its own budgets. */
function ProjectLimits({ id }: { id: string }) {
  const { value, error, reload } = useAnswer(pathTo('/admin/projects/{project}/limits', { project: id }))
  return (
    <section>
      <h3>Limits that apply to it</h3>
      <Failure error={error} onRetry={reload} />
      {value ? <ApplyingLimits limits={value.items} what="this project" /> : !error && <Loading what="limits" />}
    </section>
  )
}

function ChangeProject({ before, onChanged }: { before: ProjectBody; onChanged: () => void }) {
  const [draft, setDraft] = useState(() => draftOf(before))
  const { error, isSending, send } = useSend()
  const save = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      await sendJson('PATCH', pathTo('/admin/projects/{project}', { project: before.id }), changesOf(draft, before))
      toast('The project is changed.')
      onChanged()
    })
  }
  return (
    <form class="stack" onSubmit={save}>
      <h3>Change it</h3>
      <ProjectFields
        {...{ draft, set: (changes) => setDraft((was) => ({ ...was, ...changes })), isNew: false }}
        isOfOrganization={mayIn('projects.create', scopeOf(before))}
      />
      <Failure error={error} />
      <button type="submit" class="primary" disabled={isSending}>
        Save
      </button>
    </form>
  )
}
