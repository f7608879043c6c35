import { useState } from 'preact/hooks'
import type { ProjectBody } from '../../../src/contract/admin/projects.ts'
import { pathTo, pathWith, sendJson } from '../../api/client.ts'
import { may, mayIn } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useSend } from '../../api/use-send.ts'
import { type Action, ActionBar } from '../../parts/action-bar.tsx'
import { ApplyingLimits } from '../../parts/applying-limits.tsx'
import { callAll } from '../../parts/call-all.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { FactGroups } from '../../parts/facts.tsx'
import { moment } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { SettingsForm } from './claude-code-settings.tsx'
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
  const actionsOf = (shown: ProjectBody): (Action | false)[] => [
    mayIn('projects.write', scopeOf(shown)) && {
      title: 'Edit',
      icon: 'edit',
      form: <ChangeProject key={shown.updated_at} before={shown} onChanged={changed} />,
    },
    mayIn('projects.create', scopeOf(shown)) && {
      title: 'Claude Code',
      icon: 'settings',
      form: (
        <SettingsForm
          key={shown.updated_at}
          before={shown.claude_code_settings}
          save={(claude_code_settings) =>
            sendJson('PATCH', pathTo('/admin/projects/{project}', { project: shown.id }), { claude_code_settings })
          }
          onSaved={changed}
        />
      ),
    },
    mayIn('projects.create', scopeOf(shown)) &&
      !BUILT_IN.includes(id) && {
        title: 'Delete',
        icon: 'remove',
        isDanger: true,
        form: <DeleteProject id={id} name={shown.name} onRemoved={removed} />,
      },
  ]
  return (
    <Dialog title={project?.name ?? id} isDrawer onClose={close}>
      <Failure error={error} onRetry={reload} />
      {!project && !error && <Loading what="the project" />}
      <ActionBar actions={project ? actionsOf(project) : []} links={linksTo(id)} />
      {project && <ProjectFacts of={project} />}
      <ProjectLimits id={id} />
    </Dialog>
  )
}

function scopeOf({ id, organization }: ProjectBody) {
  return { organization, project: id }
}

function ProjectFacts({ of: project }: { of: ProjectBody }) {
  const { id, organization, share, region, policy, content, created_at: created } = project
  const { claude_code_settings: agents } = project
  const groups = {
    Project: { ID: id, Organization: organization, Created: moment(created) },
    Rules: {
      Models: policy?.models?.join(', ') ?? 'all',
      Endpoints: policy?.endpoints?.join(', ') ?? 'all',
      Region: region ?? 'set by keys',
      Providers: policy?.data_policy?.replace('_', ' '),
    },
    Data: { 'Request content': contentText(content), 'Files and jobs': `shared by ${share}` },
    Agents: { 'Claude Code settings': agents ? Object.keys(agents).join(', ') : 'same as the organization' },
  }
  return <FactGroups of={groups} />
}

function linksTo(project: string): Readonly<Record<string, string>> {
  return {
    ...(may('usage.read') && { 'View requests': pathWith('/requests', { project, last: '30d' }) }),
    ...(may('usage.read') && { 'View usage': pathWith('/usage', { project }) }),
    ...(may('members.read') && { 'View members': pathWith('/projects', { view: 'people', project }) }),
  }
}

/** What limits the project is more than its own budgets. */
function ProjectLimits({ id }: { id: string }) {
  const { value, error, reload } = useAnswer(pathTo('/admin/projects/{project}/limits', { project: id }))
  return (
    <section>
      <h3>Limits</h3>
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
      toast('Project saved.')
      onChanged()
    })
  }
  return (
    <form class="stack" onSubmit={save}>
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
