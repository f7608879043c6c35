import { AreaField, TextField } from '../../parts/fields.tsx'
import type { ChatSettings } from './chat-body.ts'

type Props = { settings: ChatSettings; set: (changes: Partial<ChatSettings>) => void }

export function ChatFields({ settings: { system, tools, temperature, maxTokens }, set }: Props) {
  const optional = { type: 'number' as const, placeholder: 'of the model' }
  return (
    <details class="chat-settings">
      <summary>System prompt, temperature, tools</summary>
      <div class="form-grid">
        <AreaField label="System prompt" rows={3} value={system} set={(text) => set({ system: text })} />
        <AreaField
          label="Tools, as JSON"
          rows={3}
          value={tools}
          placeholder='[{ "type": "function", "function": { "name": "…" } }]'
          set={(text) => set({ tools: text })}
        />
        <TextField label="Temperature" {...optional} value={temperature} set={(text) => set({ temperature: text })} />
        <TextField
          label="Most tokens of an answer"
          {...optional}
          value={maxTokens}
          set={(text) => set({ maxTokens: text })}
        />
      </div>
    </details>
  )
}
