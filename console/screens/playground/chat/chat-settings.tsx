import { AreaField, TextField } from '../../../parts/fields.tsx'
import type { Who } from '../who/who-fields.tsx'
import { settings } from './conversation.ts'
import type { ChatSettings as Settings } from './chat-body.ts'
import { Servers } from './servers.tsx'
import { Tools } from './tools.tsx'

const OPTIONAL = { type: 'number' as const, placeholder: 'default' }

export function ChatSettings({ who }: { who: Who }) {
  const { system, tools, servers, temperature, maxTokens } = settings.value
  const set = (changes: Partial<Settings>) => {
    settings.value = { ...settings.value, ...changes }
  }
  return (
    <>
      <AreaField label="System prompt" rows={3} value={system} set={(text) => set({ system: text })} />
      <div class="pair">
        <TextField label="Temperature" {...OPTIONAL} value={temperature} set={(text) => set({ temperature: text })} />
        <TextField label="Max output tokens" {...OPTIONAL} value={maxTokens} set={(text) => set({ maxTokens: text })} />
      </div>
      <Tools tools={tools} set={(changed) => set({ tools: changed })} />
      <Servers who={who} chosen={servers} set={(changed) => set({ servers: changed })} />
    </>
  )
}
