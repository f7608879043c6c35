import { CopyButton } from '../../../parts/code-block.tsx'
import { Markdown } from '../../../parts/markdown/markdown-view.tsx'
import { providerOf } from '../models/model-choice.ts'
import { AnswerHead } from '../run/run-columns.tsx'
import { RunEnd } from '../run/run-facts.tsx'
import { type Answer, callsMade, type ToolCall } from './chat-body.ts'
import { setResult } from './conversation.ts'
import { MadeCall } from './made-call.tsx'

type Props = {
  of: Answer
  column: number
  /** Whether the person may say what the tools answer. */
  takesResults: boolean
  isSandbox: boolean
  onRetry: (() => void) | undefined
}

export function OneAnswer({ of: answer, column, takesResults, isSandbox, onRetry }: Props) {
  const { model, text, reasoning, calls, state } = answer
  return (
    <article class="panel" aria-label={`Answer of ${model}`} aria-busy={state === 'running'}>
      <AnswerHead model={model} isSandbox={isSandbox} />
      {reasoning !== '' && (
        <details>
          <summary>Reasoning</summary>
          <p class="said faint">{reasoning}</p>
        </details>
      )}
      {callsMade(answer).map((call, at) => (
        <MadeCall key={at} of={call} />
      ))}
      {text !== '' && <Markdown text={text} />}
      {calls.map((call, at) => (
        <Call key={at} of={call} set={takesResults ? (result) => setResult(column, at, result) : undefined} />
      ))}
      <RunEnd of={answer} provider={providerOf(model)} />
      {state !== 'running' && (
        <div class="row">
          {text !== '' && <CopyButton text={text} what={`the answer of ${model}`} />}
          <button type="button" class="small" disabled={!onRetry} onClick={onRetry}>
            Retry<span class="sr-only"> {model}</span>
          </button>
        </div>
      )}
    </article>
  )
}

type CallProps = { of: ToolCall; set: ((result: string) => void) | undefined }

/** A function of the person, who says what it would answer: nothing runs it. */
function Call({ of: { name, arguments: written, result = '' }, set }: CallProps) {
  return (
    <div class="tool-call">
      <p class="said">
        <small>Tool call</small> <code>{`${name}(${written})`}</code>
      </p>
      {set ? (
        <label>
          Result of {name}
          <textarea
            rows={2}
            value={result}
            placeholder='{ "temperature": 21 }'
            onInput={(event) => set(event.currentTarget.value)}
          />
        </label>
      ) : (
        result !== '' && (
          <p class="said">
            <small>Result</small> {result}
          </p>
        )
      )}
    </div>
  )
}
