import { useState } from 'preact/hooks'
import type { GuardrailBody } from '../../../src/contract/admin/guardrails.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useSend } from '../../api/use-send.ts'
import { ActionBar } from '../../parts/action-bar.tsx'
import { callAll } from '../../parts/call-all.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ConfirmStep } from '../../parts/confirm-step.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ENDPOINTS } from '../../parts/endpoints.ts'
import { labelOf } from '../../parts/described-field.tsx'
import { FactGroups, Facts } from '../../parts/facts.tsx'
import { count, share } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { useHolderNames } from '../../parts/use-names.ts'
import { useQuery } from '../../parts/use-query.ts'
import { guardrailName, ModeOf, originOf } from './columns.tsx'
import { ACTIONS, EditGuardrail } from './edit-guardrail.tsx'
import { checkTitle } from './examples.ts'
import { Report } from './guardrail-report.tsx'
import { usualOnError } from './guardrail-draft.ts'
import { ON_ERROR, RESPONSES } from './more-fields.tsx'
import { ReplayGuardrail } from './replay-guardrail.tsx'
import { TryGuardrail } from './try-guardrail.tsx'
import { PHASES } from './where-fields.tsx'

type Props = { id: string; onChanged: () => void }

export function GuardrailDetail({ id, onChanged }: Props) {
  const { change } = useQuery()
  const [isEditing, setEditing] = useState(false)
  const {
    value: guardrail,
    error,
    reload,
  } = useAnswer(pathTo('/admin/guardrails/{guardrail_id}', { guardrail_id: id }))
  const close = () => change({ guardrail: undefined })
  if (guardrail && isEditing)
    return <EditGuardrail before={guardrail} onClose={() => setEditing(false)} onSaved={callAll(reload, onChanged)} />
  return (
    <Dialog title={guardrail ? guardrailName(guardrail) : id} isDrawer onClose={close}>
      <Failure error={error} onRetry={reload} />
      {!guardrail && !error && <Loading what="the guardrail" />}
      {guardrail && (
        <Actions guardrail={guardrail} onEdit={() => setEditing(true)} onRemoved={callAll(onChanged, close)} />
      )}
      {guardrail && <Shown guardrail={guardrail} />}
    </Dialog>
  )
}

type ActionsProps = { guardrail: GuardrailBody; onEdit: () => void; onRemoved: () => void }

function Actions({ guardrail: { id, owned_by: owner, applies_to: who }, onEdit, onRemoved }: ActionsProps) {
  const mayWrite = may('guardrails.write')
  const project = who.startsWith('project:') ? who.slice('project:'.length) : ''
  const isOfApi = mayWrite && owner === 'api'
  return (
    <ActionBar
      actions={[
        isOfApi && { title: 'Edit', icon: 'edit', run: onEdit },
        mayWrite && {
          title: 'Try it',
          icon: 'playground',
          form: <TryGuardrail guardrail={() => ({ guardrail: id })} />,
        },
        may('content.read') && {
          title: 'Try on kept requests',
          icon: 'requests',
          form: <ReplayGuardrail guardrail={() => ({ guardrail: id })} project={project} />,
        },
        isOfApi && {
          title: 'Delete',
          icon: 'remove',
          isDanger: true,
          form: <Remove id={id} onRemoved={onRemoved} />,
        },
      ]}
    />
  )
}

function Remove({ id, onRemoved }: { id: string; onRemoved: () => void }) {
  const { error, send } = useSend()
  const remove = () =>
    send(async () => {
      await sendJson('DELETE', pathTo('/admin/guardrails/{guardrail_id}', { guardrail_id: id }))
      onRemoved()
    })
  return (
    <>
      <Failure error={error} />
      <ConfirmStep text="It checks no calls any more." sure="Delete guardrail" onSure={() => void remove()} />
    </>
  )
}

function Shown({ guardrail }: { guardrail: GuardrailBody }) {
  const holderName = useHolderNames()
  return (
    <>
      {guardrail.owned_by === 'file' && (
        <p class="notice">This guardrail is set in the config file. Change it there, then reload the configuration.</p>
      )}
      <FactGroups of={factsOf(guardrail, holderName)} />
      <Checks guardrail={guardrail} />
      <Report id={guardrail.id} />
    </>
  )
}

function factsOf(guardrail: GuardrailBody, holderName: (appliesTo: string) => string) {
  const { id, applies_to, action, mode, on_error, phases, models, endpoints, sample, respond, message } = guardrail
  const { timeout_ms: timeoutMs } = guardrail
  return {
    'What it does': {
      Mode: <ModeOf guardrail={guardrail} />,
      'If found': ACTIONS[action],
      'If a check fails': ON_ERROR[on_error ?? usualOnError(action)],
      Timeout: timeoutMs != null && `${count(timeoutMs)} ms for services and models`,
      'If blocked': action !== 'flag' && mode !== 'shadow' && respond && RESPONSES[respond],
      Message: message,
    },
    'Where it applies': {
      'Applies to': holderName(applies_to),
      Phases: (phases ?? ['input', 'output']).map((phase) => PHASES[phase]).join('; '),
      Models: models?.join(', '),
      Endpoints: endpoints?.map((endpoint) => ENDPOINTS[endpoint]).join(', '),
      Sample: sample != null && sample < 1 && `${share(sample)} of calls`,
      'Set in': originOf(guardrail),
      ID: id,
    },
  }
}

/** Each check with its parameters, as the form names them. */
function Checks({ guardrail: { checks } }: { guardrail: GuardrailBody }) {
  return (
    <section class="stack" aria-label="Checks">
      <h3>Checks</h3>
      {checks.map(({ check, ...params }, at) => (
        <div key={at}>
          <b>{checkTitle(check)}</b>
          <Facts
            of={Object.fromEntries(Object.entries(params).map(([name, value]) => [labelOf(name), valueText(value)]))}
          />
        </div>
      ))}
      <details>
        <summary>Show as JSON</summary>
        <CodeBlock label="the checks" text={JSON.stringify(checks, null, 2)} />
      </details>
    </section>
  )
}

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
