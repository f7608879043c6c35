import { useState } from 'preact/hooks'
import { SelectField } from '../../../parts/fields.tsx'
import type { ChatBody } from '../chat/chat-body.ts'
import { providerOf } from '../models/model-choice.ts'
import { messagesBody } from './messages-body.ts'
import { CodeOf } from './open-as-code.tsx'

const FORMATS = { chat: 'OpenAI (chat completions)', messages: 'Anthropic (messages)' }

/** A chat as a program, in the format of OpenAI or of Anthropic. The gateway takes both for every model. */
export function ChatCode({ body }: { body: ChatBody }) {
  const isAnthropic = providerOf(body.model) === 'anthropic'
  const [format, setFormat] = useState<keyof typeof FORMATS>(isAnthropic ? 'messages' : 'chat')
  return (
    <div class="stack">
      <SelectField label="Format" value={format} choices={FORMATS} set={setFormat} />
      <div>
        <CodeOf kind={format} body={format === 'chat' ? body : messagesBody(body)} />
      </div>
    </div>
  )
}
