import { useState } from 'preact/hooks'
import type { Overview } from '../../../src/contract/admin/overview.ts'
import { pathWith } from '../../api/client.ts'
import { me } from '../../api/session.ts'
import { useDialog } from '../../parts/use-query.ts'
import { FirstCallDialog } from './first-call-dialog.tsx'

type Step = Overview['steps'][number]['step']

/** Each path opens the dialog of the step. */
const STEPS: Readonly<Record<Step, { path: string; title: string; why: string }>> = {
  provider: {
    path: pathWith('/models', { new: 'provider' }),
    title: 'Set up a provider',
    why: 'Paste its API key, or start a local server such as Ollama. Until then, the sandbox answers.',
  },
  key: {
    path: pathWith('/keys', { new: 'key' }),
    title: 'Create an API key',
    why: 'Programs need one to call the API.',
  },
  call: {
    path: pathWith('/', { new: 'call' }),
    title: 'Make your first call',
    why: 'Send one curl command and watch the request arrive.',
  },
  budget: {
    path: pathWith('/budgets', { new: 'budget' }),
    title: 'Set a budget',
    why: 'Spending is not limited yet.',
  },
  people: {
    path: pathWith('/projects', { view: 'people', new: 'invitation' }),
    title: 'Invite your team',
    why: 'You are the only member.',
  },
  receiver: {
    path: pathWith('/alerts', { view: 'rules' }),
    title: 'Send alerts to Slack, Teams or a webhook',
    why: 'So far, you see alerts only in the console.',
  },
}

type Props = { steps: Overview['steps']; onChanged: () => void }

/** What is still to be done, of what the role allows. The gateway says what is done. It goes away when everything is. */
export function FirstSteps({ steps, onChanged }: Props) {
  const { isHidden, hide, show } = useHidden()
  const call = useDialog('call')
  const done = steps.filter((one) => one.done).length
  return (
    <>
      {done < steps.length && !isHidden && <List steps={steps} done={done} onHide={hide} />}
      {done < steps.length && isHidden && (
        <p>
          <button type="button" class="link" onClick={show}>
            Show first steps ({done} of {steps.length} done)
          </button>
        </p>
      )}
      {call.isOpen && steps.some(({ step }) => step === 'call') && (
        <FirstCallDialog onClose={call.close} onArrived={onChanged} />
      )}
    </>
  )
}

type ListProps = { steps: Overview['steps']; done: number; onHide: () => void }

function List({ steps, done, onHide }: ListProps) {
  return (
    <section class="panel first-steps" aria-labelledby="first-steps">
      <header>
        <h2 id="first-steps">First steps</h2>
        <progress max={steps.length} value={done} aria-labelledby="first-steps-done" />
        <small id="first-steps-done">
          {done} of {steps.length} done
        </small>
        <button type="button" class="small" onClick={onHide}>
          Dismiss<span class="sr-only"> first steps</span>
        </button>
      </header>
      <ol>
        {steps.map((one) => (
          <Item key={one.step} of={one} />
        ))}
      </ol>
    </section>
  )
}

function Item({ of: { step, done } }: { of: Overview['steps'][number] }) {
  const { path, title, why } = STEPS[step]
  return (
    <li>
      <span class={done ? 'tick done' : 'tick'} aria-hidden="true">
        {done && '✓'}
      </span>
      {done ? (
        <span class="is-done">
          {title}
          <span class="sr-only"> (done)</span>
        </span>
      ) : (
        <a href={path}>{title}</a>
      )}
      {!done && <small>{why}</small>}
    </li>
  )
}

/** Each person decides for themselves, in this browser, as with the theme and the columns. */
function useHidden() {
  const name = `first-steps:${me.value?.id}`
  const [isHidden, setHidden] = useState(() => localStorage.getItem(name) === 'hidden')
  const hide = () => {
    localStorage.setItem(name, 'hidden')
    setHidden(true)
  }
  const show = () => {
    localStorage.removeItem(name)
    setHidden(false)
  }
  return { isHidden, hide, show }
}
