import { useState } from 'preact/hooks'
import type { Who } from '../who/who-fields.tsx'
import { type Answer, isEmptyPrompt, type Prompt, type Turn } from './chat-body.ts'
import { retry, send, sendInstead, turns } from './conversation.ts'
import { EditPrompt } from './edit-prompt.tsx'
import { OneAnswer } from './one-answer.tsx'
import { useFollowed } from './use-followed.ts'

type Props = { models: readonly string[]; who: Who; isRunning: boolean }

/** The conversation: messages of the person, and below each one the answers side by side. */
export function Turns({ models, who, isRunning }: Props) {
  const end = useFollowed(turns.value)
  return (
    <>
      <ol class="turns">
        {turns.value.map((turn, at) => (
          <OneTurn
            key={turn.id}
            turn={turn}
            isNewest={at === turns.value.length - 1}
            isSandbox={who.kind === 'sandbox'}
            isRunning={isRunning}
            onEdit={(prompt) => sendInstead(at, { models, prompt, who })}
            onRetry={(column) => retry(at, column, who)}
            onResults={() => send({ models, prompt: NO_PROMPT, who })}
          />
        ))}
      </ol>
      <div ref={end} class="turns-end" />
      <p class="sr-only" role="status">
        {turns.value.at(-1)?.answers.map(spoken).join('. ')}
      </p>
    </>
  )
}

const NO_PROMPT: Prompt = { text: '', images: [] }
const SPOKEN_CHARS = 300

/** What a screen reader says when an answer has ended. Failures say themselves. */
function spoken({ model, state, text, calls }: Answer): string {
  if (state === 'running') return `${model} is answering`
  if (state !== 'done') return `${model}: ${state}`
  const said = text === '' ? `calls ${calls.map(({ name }) => name).join(', ')}` : `answered: ${text}`
  return `${model} ${said.length > SPOKEN_CHARS ? `${said.slice(0, SPOKEN_CHARS)}…` : said}`
}

type TurnProps = {
  turn: Turn
  isNewest: boolean
  isSandbox: boolean
  isRunning: boolean
  onEdit: (prompt: Prompt) => void
  onRetry: (column: number) => void
  onResults: () => void
}

function OneTurn({ turn: { prompt, answers }, isNewest, isSandbox, isRunning, ...on }: TurnProps) {
  const [isEditing, setEditing] = useState(false)
  const wantsResults = isNewest && !isRunning && answers.some(({ calls }) => calls.length > 0)
  return (
    <li>
      {isEditing ? (
        <EditPrompt of={prompt} onSend={on.onEdit} onCancel={() => setEditing(false)} />
      ) : (
        <PromptView of={prompt} onEdit={isRunning ? undefined : () => setEditing(true)} />
      )}
      <div class="answers" data-count={answers.length}>
        {answers.map((answer, column) => (
          <OneAnswer
            key={column}
            of={answer}
            column={column}
            takesResults={isNewest && answer.state === 'done'}
            isSandbox={isSandbox}
            onRetry={isRunning ? undefined : () => on.onRetry(column)}
          />
        ))}
      </div>
      {wantsResults && (
        <p>
          <button type="button" class="primary" onClick={on.onResults}>
            Send tool results
          </button>
        </p>
      )}
    </li>
  )
}

function PromptView({ of: prompt, onEdit }: { of: Prompt; onEdit: (() => void) | undefined }) {
  if (isEmptyPrompt(prompt)) return <p class="faint">Tool results sent.</p>
  return (
    <div class="prompt">
      <p class="said">{prompt.text}</p>
      {prompt.images.map((image, at) => (
        <img key={at} src={image} alt={`Attachment ${at + 1}`} />
      ))}
      <button type="button" class="small quiet" disabled={!onEdit} onClick={onEdit}>
        Edit<span class="sr-only"> this message</span>
      </button>
    </div>
  )
}
