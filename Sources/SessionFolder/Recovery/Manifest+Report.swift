extension Manifest {
    /// Draws `report/sync.svg` for a recovered recording, as SVG text, from the manifest and from the clock readings in its
    /// events.
    public func syncReport(_ events: RecordedEvents) -> String {
        SyncReport(manifest: self, history: SyncHistory(events)).document
    }
}
