// Settings by which a provider would send a result somewhere else than back: to a bucket, a queue or an address. The gateway waits for
// results itself, with the operator's account: a caller names no place there, and none elsewhere. Names are compared in small
// letters and without what divides their words: `OutputConfig`, `output_config` and `outputconfig` are the same.

/** Parts of names, at any depth. */
export const DESTINATION_PARTS: readonly RegExp[] = [
  /webhook|callback|destination|bucket|notif(y|ication)/,
  /^(hook|ping|post|success|failure|error|redirect|return|report)ur[il]$|^(deliver|store|send|mail|email)to$/,
  /(snstopic|topicarn|queueurl|queuearn|rolearn|kms|vpcconfig|sasur[il])/,
  /output(data|s3|gcs|storage|blob|file)?(config|location|ur[il]|path|prefix|container|folder|key|topic|arn)/,
  /^(results?|storage|upload|delivery|export|target|sink|save|s3|gcs|blob)\w*(ur[il]s?|path|prefix|location|container|folder|config|arn)$/,
]

/** A token that makes two requests one: the second caller would be given the result of the first. */
export const SHARED_TOKENS: readonly string[] = [
  'clientrequesttoken',
  'clienttoken',
  'idempotencykey',
  'idempotencytoken',
]

/** The model string names the model, which is what was checked and priced: settings do not. */
export const MODEL_SETTINGS: ReadonlySet<string> = new Set([
  'model',
  'models',
  'modelid',
  'modelname',
  'engine',
  'engineid',
])
