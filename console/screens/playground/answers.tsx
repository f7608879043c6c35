import type { Answer, ToolCall, Turn } from './chat-body.ts'
import { RunEnd } from './run-facts.tsx'

/** Of the newest turn: what a tool answers to a call of a model. */
type SetResult = (column: number, call: number, result: string) => void

type Props = { turns: readonly Turn[]; setResult: SetResult }

/** The conversation, with one column for each model. */
export function Answers({ turns, setResult }: Props) {
  return (
    <ol class="turns">
      {turns.map(({ prompt, answers }, at) => (
        <li key={at}>
          <div class="prompt">
            <p>{prompt.text === '' && !prompt.image ? 'Results of tools' : prompt.text}</p>
            {prompt.image && <img src={prompt.image} alt="What was attached" />}
          </div>
          <div class="columns">
            {answers.map((answer, column) => (
              <OneAnswer
                key={column}
                of={answer}
                setResult={(call, result) => setResult(column, call, result)}
                isNewest={at === turns.length - 1}
              />
            ))}
          </div>
        </li>
      ))}
    </ol>
  )
}

type AnswerProps = { of: Answer; isNewest: boolean; setResult: (call: number, result: string) => void }

function OneAnswer({ of: answer, isNewest, setResult }: AnswerProps) {
  const takesResults = isNewest && answer.state === 'done'
  return (
    <article class="panel" aria-label={`Answer of ${answer.model}`} aria-busy={answer.state === 'running'}>
      <h2>{answer.model}</h2>
      <p class="said">{answer.text}</p>
      {answer.calls.map((call, at) => (
        <Call key={at} of={call} set={takesResults ? (result) => setResult(at, result) : undefined} />
      ))}
      <RunEnd of={answer} />
    </article>
  )
}

type CallProps = { of: ToolCall; set: ((result: string) => void) | undefined }

/** Nothing runs tools here: the person says what a tool would answer. */
function Call({ of: { name, arguments: written, result = '' }, set }: CallProps) {
  return (
    <div class="tool-call">
      <p class="said">
        <small>calls</small> <code>{`${name}(${written})`}</code>
      </p>
      {set ? (
        <label>
          What {name} answers
          <textarea rows={2} value={result} onInput={(event) => set(event.currentTarget.value)} />
        </label>
      ) : (
        result !== '' && (
          <p class="said">
            <small>answers</small> {result}
          </p>
        )
      )}
    </div>
  )
}
