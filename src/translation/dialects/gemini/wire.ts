// The JSON for generateContent. Names and shapes are Google's; request-wire.test.ts compares them with the SDK.

/** The maximum number of answers to one call. */
export const MAX_CANDIDATES = 8

export type GenerateContentRequest = {
  contents: WireContent[]
  systemInstruction?: { parts: WirePart[] }
  tools?: WireTool[]
  toolConfig?: ToolConfig
  generationConfig?: GenerationConfig
  serviceTier?: 'flex' | 'standard' | 'priority'
  labels?: Record<string, string>
}

export type WireContent = { role: 'user' | 'model'; parts: WirePart[] }

export type WirePart = {
  text?: string
  inlineData?: InlineData
  fileData?: FileData
  functionCall?: { name: string; args: Record<string, unknown>; id?: string }
  functionResponse?: FunctionResponse
  thoughtSignature?: string
}

export type InlineData = { mimeType: string; data: string }
type FileData = { fileUri: string; mimeType?: string }
export type MediaPart = { inlineData: InlineData } | { fileData: FileData }

export type FunctionResponse = {
  name: string
  response: Record<string, unknown>
  id?: string
  parts?: MediaPart[]
}

export type WireTool = { functionDeclarations?: FunctionDeclaration[]; googleSearch?: Record<string, never> }

export type FunctionDeclaration = { name: string; description?: string; parametersJsonSchema?: unknown }

export type CallingMode = 'AUTO' | 'ANY' | 'NONE' | 'VALIDATED'

export type ToolConfig = {
  functionCallingConfig?: { mode: CallingMode; allowedFunctionNames?: string[] }
  includeServerSideToolInvocations?: boolean
}

export type GenerationConfig = {
  temperature?: number
  topP?: number
  topK?: number
  maxOutputTokens?: number
  candidateCount?: number
  stopSequences?: string[]
  seed?: number
  presencePenalty?: number
  frequencyPenalty?: number
  responseLogprobs?: boolean
  logprobs?: number
  responseMimeType?: string
  responseJsonSchema?: unknown
  responseModalities?: string[]
  mediaResolution?: 'MEDIA_RESOLUTION_LOW' | 'MEDIA_RESOLUTION_HIGH'
  speechConfig?: { voiceConfig: { prebuiltVoiceConfig: { voiceName: string } } }
  imageConfig?: { aspectRatio?: string; imageSize?: string }
  thinkingConfig?: ThinkingConfig
}

/** Level and budget exclude each other. */
export type ThinkingConfig = { thinkingLevel?: ThinkingLevel; thinkingBudget?: number; includeThoughts?: boolean }

export type ThinkingLevel = 'minimal' | 'low' | 'medium' | 'high'
