export function useState<T>(first: T | (() => T)): [T, (next: T | ((now: T) => T)) => void]
export function useEffect(effect: () => void | (() => void), on?: any[]): void
export function useLayoutEffect(effect: () => void | (() => void), on?: any[]): void
export function useRef<T>(first: T): { current: T }
export function useMemo<T>(make: () => T, on?: any[]): T
export function useCallback<T extends Function>(call: T, on?: any[]): T
export function useId(): string
export function useErrorBoundary(failed?: (error: any) => void): [any, () => void]
