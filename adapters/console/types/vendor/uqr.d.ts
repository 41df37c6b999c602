export function encode(bytes: number[], options?: { ecc?: 'L' | 'M' | 'Q' | 'H', border?: number }): { size: number, data: boolean[][] }
