import { pathWith } from '../../api/client.ts'
import { count, duration, money } from '../../parts/format.ts'
import { Failure } from '../../parts/notice.tsx'
import type { Answer, Turn } from './chat-body.ts'

/** The conversation, with one column for each model. */
export function Answers({ turns }: { turns: readonly Turn[] }) {
  return (
    <ol class="turns">
      {turns.map(({ prompt, answers }, at) => (
        <li key={at}>
          <div class="prompt">
            <p>{prompt.text}</p>
            {prompt.image && <img src={prompt.image} alt="What was attached" />}
          </div>
          <div class="columns">
            {answers.map((answer, column) => (
              <OneAnswer key={column} of={answer} />
            ))}
          </div>
        </li>
      ))}
    </ol>
  )
}

function OneAnswer({ of: answer }: { of: Answer }) {
  return (
    <article class="panel" aria-label={`Answer of ${answer.model}`} aria-busy={answer.state === 'running'}>
      <h2>{answer.model}</h2>
      <p class="said">{answer.text}</p>
      {answer.calls.map(({ name, arguments: text }) => (
        <p key={name + text} class="said">
          <small>calls</small> <code>{`${name}(${text})`}</code>
        </p>
      ))}
      {answer.state === 'stopped' && <p class="faint">You stopped it.</p>}
      <Failure error={answer.error} />
      <Facts of={answer} />
    </article>
  )
}

function Facts({ of: { state, cost, tokens, firstMs, ms, request } }: { of: Answer }) {
  if (state === 'running') return <p class="faint">…</p>
  return (
    <p class="answer-facts">
      <span>{money(cost)}</span>
      <span>{duration(ms)}</span>
      {firstMs !== undefined && <span>first token {duration(firstMs)}</span>}
      {tokens !== undefined && <span>{count(tokens)} tokens</span>}
      {request && <a href={pathWith('/requests', { call: request })}>Request</a>}
    </p>
  )
}
