/** A change of leadership. `lease`: `namespace/name`. */
export type LeadershipChange =
  /** `identity`: that of this replica. */
  | { readonly type: 'leadership.acquired'; readonly lease: string; readonly identity: string }
  /** This replica no longer acts; `reason` is a message for a person. */
  | { readonly type: 'leadership.lost'; readonly lease: string; readonly reason: string }
  /** This replica released the Lease. */
  | { readonly type: 'leadership.released'; readonly lease: string }
  /** Another replica holds the Lease. This is reported once for each holder. */
  | { readonly type: 'leadership.standsBy'; readonly lease: string; readonly holder: string };

export type ReportLeadership = (event: LeadershipChange) => void;
