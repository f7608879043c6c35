import { useState } from 'preact/hooks'
import type { ChatRequest } from '../../../src/contract/chat.ts'
import { may } from '../../api/session.ts'
import { Failure } from '../../parts/notice.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { Answers } from './answers.tsx'
import { bodyFor, type ChatSettings, newAnswer, NO_SETTINGS, type Turn } from './chat-body.ts'
import { ChatFields } from './chat-fields.tsx'
import { Composer } from './composer.tsx'
import { Explain } from './explain.tsx'
import { ModelFields, modelsIn, useModelNames } from './model-fields.tsx'
import { Samples } from './samples.tsx'
import { useChat } from './use-chat.ts'
import type { Who } from './who-fields.tsx'

const TABS = { chat: 'Chat', request: 'Request', explain: 'Explain' }
const EXAMPLE = { prompt: { text: 'Hello!', image: undefined }, answers: [] }

export function Chat({ who }: { who: Who }) {
  const { query } = useQuery()
  const [settings, setSettings] = useState<ChatSettings>(NO_SETTINGS)
  const chat = useChat()
  const { names, error } = useModelNames('/admin/playground/models', who)
  const models = modelsIn(query, 'sandbox/echo')
  const tab = query.tab ?? 'chat'
  return (
    <>
      <ModelFields models={models} names={names} />
      <Failure error={error} />
      <ChatFields settings={settings} set={(changes) => setSettings((before) => ({ ...before, ...changes }))} />
      <Tabs tab={tab} onClear={chat.turns.length > 0 ? chat.clear : undefined} />
      {tab === 'chat' && <Answers turns={chat.turns} setResult={chat.setResult} />}
      {tab === 'chat' && (
        <Composer
          isRunning={chat.isRunning}
          isOptional={hasCalls(chat.turns.at(-1))}
          onStop={chat.stop}
          onSend={(prompt) => chat.send({ models, settings, prompt, who })}
        />
      )}
      {tab !== 'chat' && <AboutRequest tab={tab} model={models[0]!} settings={settings} turns={chat.turns} />}
    </>
  )
}

function hasCalls(turn: Turn | undefined): boolean {
  return turn?.answers.some(({ calls }) => calls.length > 0) ?? false
}

function Tabs({ tab, onClear }: { tab: string; onClear: (() => void) | undefined }) {
  const { change } = useQuery()
  const offered = Object.entries(TABS).filter(([name]) => name !== 'explain' || may('config.read'))
  return (
    <fieldset class="filters" aria-label="Views">
      {offered.map(([name, title]) => (
        <button key={name} type="button" aria-pressed={name === tab} onClick={() => change({ tab: name })}>
          {title}
        </button>
      ))}
      {onClear && (
        <button type="button" onClick={onClear}>
          New conversation
        </button>
      )}
    </fieldset>
  )
}

type AboutProps = { tab: string; model: string; settings: ChatSettings; turns: readonly Turn[] }

/** The conversation up to the newest message, as the first model gets it. */
function AboutRequest({ tab, model, settings, turns }: AboutProps) {
  const newest = turns.at(-1) ?? EXAMPLE
  const asked: Turn = { ...newest, answers: [newAnswer(model)] }
  let body: ChatRequest
  try {
    body = bodyFor(model, settings, [...turns.slice(0, -1), asked], 0)
  } catch (error) {
    return <Failure error={error as Error} />
  }
  if (tab === 'explain' && may('config.read')) return <Explain body={body} />
  return <Samples kind="chat" body={body} />
}
