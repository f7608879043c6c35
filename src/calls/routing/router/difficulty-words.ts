// Signs of a hard prompt, in the most common languages. Every pattern takes linear time, because its repetitions are bounded.

export const CODE = new RegExp(
  [
    ...['```', '=>', '</\\w{1,20}>', '#include\\b', '\\b(?:Traceback|Exception|stack ?trace|segfault)\\b'],
    '\\b(?:function|const|class|def|fn|import|return|SELECT|void|async|struct)\\b[^\\n]{0,40}[({;=]',
  ].join('|'),
)

/** The text has to be in lower case. */
export const MATH = new RegExp(
  [
    ...['\\$\\$', '\\\\(?:frac|sum|int|sqrt|begin|lim|math)', '[∑∫√∂∞≤≥≠∀∃∈∇]'],
    beginning(
      ...[
        'theorem',
        'lemma',
        'integral',
        'derivative',
        'equation',
        'matri(?:x|ces)',
        'probabilit',
        'eigenvalue',
        'polynom',
      ],
      ...[
        'gleichung',
        'ableitung',
        'wahrscheinlich',
        'équation',
        'dérivée',
        'ecuaci[oó]n',
        'derivada',
        'equazion',
        'equaç',
      ],
      ...['уравнен', 'интеграл', 'вероятност'],
    ),
    ...['方程', '积分', '積分', '定理', '概率', '確率', '방정식', '적분'],
  ].join('|'),
  'u',
)

/** Words that ask for several steps of reasoning, such as compare, prove, step by step. The text has to be in lower case. */
export const STEPS = new RegExp(
  [
    beginning(
      ...['analy[sz]e', 'compare', 'prove', 'design', 'architect', 'refactor', 'debug', 'optimi[sz]e', 'evaluate'],
      ...['step[ -]by[ -]step', 'trade-?offs?', 'derive', 'in depth', 'root cause', 'critique', 'strategy'],
      ...['analysier', 'vergleich', 'beweis', 'entwirf', 'entwerf', 'optimier', 'bewerte', 'schritt für schritt'],
      ...['compar', 'démontre', 'conçoi', 'concevoir', 'étape par étape', 'évalue'],
      ...[
        'anali[zc]',
        'demuestra',
        'diseña',
        'paso a paso',
        'evalúa',
        'dimostra',
        'progetta',
        'passo (?:dopo|a) passo',
      ],
      ...['analis', 'demonstre', 'projete', 'avalie', 'stap voor stap', 'vergelijk', 'porówn', 'przeanaliz'],
      ...['krok po kroku', 'проанализ', 'сравни', 'докаж', 'спроектир', 'пошагов', 'оптимизир'],
      ...['حلل', 'قارن', 'أثبت', 'خطوة بخطوة'],
    ),
    ...['分析', '比较', '比較', '证明', '証明', '设计', '設計', '逐步', '步骤', '最適化', '优化', '段階的'],
    ...['분석', '비교', '증명', '설계', '단계별', 'विश्लेषण', 'तुलना'],
  ].join('|'),
  'gu',
)

/** Several tasks in one prompt. */
export const NUMBERED = /^[ \t]{0,8}(?:\d{1,2}[.)]|[-*•])[ \t]/gm

/** Words with one of these beginnings. `\b` does not work here, because it only knows ASCII letters. */
function beginning(...stems: string[]): string {
  return `(?<!\\p{L})(?:${stems.join('|')})`
}
