import { useState } from 'preact/hooks'
import type { ChatRequest } from '../../../src/contract/chat.ts'
import { may } from '../../api/session.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Failure } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { Answers } from './answers.tsx'
import { bodyFor, newAnswer, type ChatSettings, NO_SETTINGS, type Turn } from './chat-body.ts'
import { samplesOf } from './code-samples.ts'
import { Composer } from './composer.tsx'
import { Explain } from './explain.tsx'
import { ChatFields, ModelFields, modelsIn, WhoFields } from './settings.tsx'
import { usePayers } from './payers.ts'
import { useChat } from './use-chat.ts'

const TABS = { chat: 'Chat', request: 'Request', explain: 'Explain' }
const EXAMPLE = { prompt: { text: 'Hello!', image: undefined }, answers: [] }

/** Models for whoever has signed in: the own rights, the budget of the project. */
export default function Playground() {
  const { query, change } = useQuery()
  const [settings, setSettings] = useState<ChatSettings>(NO_SETTINGS)
  const chat = useChat()
  const { payers = [], error } = usePayers()
  const who = { project: query.project ?? payers[0]?.id, kind: query.kind }
  const models = modelsIn(query)
  const tab = query.tab ?? 'chat'
  return (
    <>
      <ScreenHead title="Playground">
        {chat.turns.length > 0 && (
          <button type="button" onClick={chat.clear}>
            New conversation
          </button>
        )}
      </ScreenHead>
      <Failure error={error} />
      <div class="filters">
        <WhoFields who={who} payers={payers} change={change} />
        <ModelFields models={models} who={who} change={change} />
      </div>
      <ChatFields settings={settings} set={(changes) => setSettings((before) => ({ ...before, ...changes }))} />
      <Tabs tab={tab} onTab={(name) => change({ tab: name })} />
      {tab === 'chat' && <Answers turns={chat.turns} />}
      {tab === 'chat' && (
        <Composer
          isRunning={chat.isRunning}
          onStop={chat.stop}
          onSend={(prompt) => chat.send({ models, settings, prompt, who })}
        />
      )}
      {tab !== 'chat' && <AboutRequest tab={tab} model={models[0]!} settings={settings} turns={chat.turns} />}
    </>
  )
}

function Tabs({ tab, onTab }: { tab: string; onTab: (name: string) => void }) {
  const offered = Object.entries(TABS).filter(([name]) => name !== 'explain' || may('config.read'))
  return (
    <fieldset class="filters" aria-label="Views">
      {offered.map(([name, title]) => (
        <button key={name} type="button" aria-pressed={name === tab} onClick={() => onTab(name)}>
          {title}
        </button>
      ))}
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
  return (
    <div class="stack">
      <p class="faint">Programs need a key of their own: what you may do here ends with your session.</p>
      {Object.entries(samplesOf(body)).map(([title, text]) => (
        <section key={title}>
          <h3>{title}</h3>
          <CodeBlock label={`the request in ${title}`} text={text} />
        </section>
      ))}
    </div>
  )
}
