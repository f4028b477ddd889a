extension Manifest {
    /// `report/sync.svg` of a recovered recording: as that of a finished one, from what its events tell.
    public func syncReport(_ events: RecordedEvents) -> String {
        SyncReport(manifest: self, history: SyncHistory(events)).document
    }
}
