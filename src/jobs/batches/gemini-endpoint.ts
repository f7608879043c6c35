const URL_OF_MODEL = /^\/v3\/v1beta\/models\/(.+):generateContent$/

/** The address of a model in the Gemini format. */
export function endpointOfModel(model: string): string {
  return `/v3/v1beta/models/${encodeURIComponent(model)}:generateContent`
}

/** The model of an address that `endpointOfModel` wrote. */
export function modelOfEndpoint(endpoint: string): string {
  return decodeURIComponent(URL_OF_MODEL.exec(endpoint)?.[1] ?? '')
}
