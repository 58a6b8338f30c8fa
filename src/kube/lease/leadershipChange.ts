/** What becomes of the lead. `lease`: `namespace/name`. */
export type LeadershipChange =
  /** `identity`: who we are in it. */
  | { readonly type: 'leadership.acquired'; readonly lease: string; readonly identity: string }
  /** This replica acts no more; why, in words. */
  | { readonly type: 'leadership.lost'; readonly lease: string; readonly reason: string }
  /** It was given back, in good order. */
  | { readonly type: 'leadership.released'; readonly lease: string }
  /** Another replica holds it: told once for each holder. */
  | { readonly type: 'leadership.standsBy'; readonly lease: string; readonly holder: string };

export type ReportLeadership = (fact: LeadershipChange) => void;
