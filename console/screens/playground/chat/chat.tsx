import { useState } from 'preact/hooks'
import { may } from '../../../api/session.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ChatCode } from '../code/chat-code.tsx'
import { ChosenModels } from '../models/chosen-models.tsx'
import { isChat } from '../models/model-choice.ts'
import { useModels, useRemembered } from '../models/use-models.ts'
import { type BenchProps, Workbench } from '../workbench.tsx'
import { useAttachments } from './attached-images.tsx'
import { bodyFor, type ChatBody, newAnswer, type Turn } from './chat-body.ts'
import { ChatSettings } from './chat-settings.tsx'
import { Composer } from './composer.tsx'
import { isRunning, reset, send, settings, stop, turns } from './conversation.ts'
import { Explain } from './explain.tsx'
import { Turns } from './turns.tsx'

const EXAMPLE: Turn = { id: 0, prompt: { text: 'Hello!', images: [] }, answers: [] }

export function Chat({ who, settings: shared }: BenchProps) {
  const models = useModels('/admin/playground/models', who, { isOffered: isChat })
  const attachments = useAttachments()
  const running = isRunning()
  const { chosen } = models
  useRemembered(chosen, running)
  return (
    <Workbench
      settings={
        <>
          {shared}
          <ChosenModels models={models} />
          <ChatSettings who={who} />
        </>
      }
      tools={<ChatTools model={chosen[0]} />}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: an image that is dropped can also be chosen with a button */}
      <div class="bench-main" onDragOver={(event) => event.preventDefault()} onDrop={attachments.drop}>
        {turns.value.length === 0 && (
          <div class="bench-empty">
            <h2>Ask a model</h2>
            <p>Up to four models get the same message, side by side. Images can be pasted or dropped here.</p>
          </div>
        )}
        <Turns models={chosen} who={who} isRunning={running} />
        <Composer
          attachments={attachments}
          isRunning={running}
          isReady={chosen.length > 0}
          onStop={stop}
          onSend={(prompt) => send({ models: chosen, prompt, who })}
        />
      </div>
    </Workbench>
  )
}

const PAGES = { code: 'The request as code', explain: 'What would be sent' }

function ChatTools({ model }: { model: string | undefined }) {
  const [page, setPage] = useState<keyof typeof PAGES>()
  const body = model === undefined ? undefined : writtenBody(model)
  return (
    <>
      <button type="button" class="small" disabled={turns.value.length === 0} onClick={reset}>
        Reset
      </button>
      <button type="button" class="small" disabled={!body} onClick={() => setPage('code')}>
        Open as code
      </button>
      {may('config.read') && (
        <button type="button" class="small" disabled={!body} onClick={() => setPage('explain')}>
          Explain
        </button>
      )}
      {page && body && (
        <Dialog title={PAGES[page]} isDrawer onClose={() => setPage(undefined)}>
          {page === 'code' ? <ChatCode body={body} /> : <Explain body={body} />}
        </Dialog>
      )}
    </>
  )
}

/** The conversation up to the newest message, as the model gets it. */
function writtenBody(model: string): ChatBody {
  const newest = turns.value.at(-1) ?? EXAMPLE
  const asked: Turn = { ...newest, answers: [newAnswer(model)] }
  return bodyFor(model, settings.value, [...turns.value.slice(0, -1), asked], 0)
}
