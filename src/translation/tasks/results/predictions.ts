const MACHINE_ABOVE = 0.5

export function aiPrediction(score: number): 'ai-generated' | 'original' {
  return score > MACHINE_ABOVE ? 'ai-generated' : 'original'
}

export function deepfakePrediction(score: number): 'deepfake' | 'original' {
  return score > MACHINE_ABOVE ? 'deepfake' : 'original'
}
