internal import MulticamInputs
package import MulticamMedia
package import MulticamPlan
internal import MulticamSessionFolder

/// Faces and codes that other processes find, and automatic framing.
extension MulticamSession {
    /// Receives the faces and codes in a frame from another process. Events are sent for new faces, lost faces, and new
    /// codes. Never blocks.
    ///
    /// - Parameters:
    ///   - analysis: The faces and codes, with checked values.
    ///   - role: The camera's role. Analyses of unknown cameras are ignored.
    ///   - sequence: The frame's sequence number, if known.
    ///   - stamp: Timestamp of the frame on the session clock, as the media socket sends it.
    ///   - source: Where the analysis comes from.
    package func receive(
        _ analysis: FrameAnalysis, of role: String, sequence: Int64?, at stamp: ClockTime,
        from source: CameraDetections.Source
    ) {
        guard currentPlan.cameras.contains(where: { $0.role == role }) else { return }
        let input = cameraInputs.withLock { $0[role] }
        let now = clock.now
        // A time in the future, or long ago, can't be right.
        let captured = max(
            min(stamp - (input?.latency ?? .zero), now), now - Nanoseconds.seconds(10))
        let (known, events) = detections.withLock {
            $0[role, default: CameraDetections()].add(
                analysis, from: source, capturedAt: captured, arrivedAt: now)
        }
        input?.record(known, of: sequence, capturedAt: captured)
        for event in events { send(event, of: role, at: captured) }
        for listener in analysisListeners.withLock({ Array($0.values) }) {
            listener.receive(
                ReceivedAnalysis(
                    role: role, analysis: known, capturedAt: captured, stamp: stamp, sequence: sequence))
        }
    }

    /// Sends the events of faces that haven't been found for a while. Call this method regularly, because a process may
    /// stop sending analyses.
    package func expireDetections() {
        let now = clock.now
        let lost = detections.withLock { detections in
            detections.keys.sorted().flatMap { role in
                (detections[role]?.expire(at: now) ?? []).map { (role, $0) }
            }
        }
        for (role, event) in lost { send(event, of: role, at: now) }
    }

    /// The cameras that are neither removed nor switched off.
    package var usedCameras: [PlannedCamera] {
        running.withLock { running in
            let devices = running.devices
            return running.plan.cameras.filter {
                !devices.removed.contains($0.role) && !devices.disabled.contains($0.role)
            }
        }
    }

    private func send(_ event: CameraDetections.Event, of role: String, at time: ClockTime) {
        switch event {
        case .appeared(let face):
            publishEvent(at: time) {
                SessionEvent(
                    .faceAppeared(
                        SessionEvent.FaceAppeared(
                            track: role, face: Int64(face.id), box: face.box, confidence: face.confidence)),
                    at: $0)
            }
        case .lost(let id, let seen):
            publishEvent(at: seen) {
                SessionEvent(.faceLost(SessionEvent.FaceLost(track: role, face: Int64(id))), at: $0)
            }
        case .code(let code):
            publishEvent(at: time) {
                SessionEvent(
                    .code(
                        SessionEvent.Code(
                            track: role, kind: code.kind, payload: code.payload, box: code.box)), at: $0)
            }
        }
    }

    /// Adds a listener that receives all analyses.
    ///
    /// - Returns: A number that `removeAnalysisListener` accepts.
    package func addAnalysisListener(_ listener: AnalysisListener) -> Int {
        analysisListeners.withLock { listeners in
            let number = (listeners.keys.max() ?? 0) + 1
            listeners[number] = listener
            return number
        }
    }

    /// Removes a listener.
    package func removeAnalysisListener(_ number: Int) {
        analysisListeners.withLock { $0[number] = nil }
    }

    /// Moves the visible part of a camera that is framed automatically. Nothing happens if automatic framing of the
    /// camera is off. The motion isn't a change by the user: it can't be undone, and it doesn't affect the cost.
    ///
    /// - Parameters:
    ///   - motion: The motion, on the session clock. It begins with the current position of the visible part.
    ///   - role: The camera's role.
    /// - Returns: Whether automatic framing of the camera is on, so that the motion was accepted.
    package func setMotion(_ motion: FramingMotion, of role: String) -> Bool {
        let now = clock.now
        return running.withLock { running in
            guard running.setMotion(motion, of: role) else { return false }
            var request = SessionControls.PlanRequest(
                plan: running.plan, words: [], orders: [], cost: nil, reductions: [], at: now,
                decided: nil)
            request.framedRole = role
            _ = controls.replacePlan(request)
            return true
        }
    }

    /// The time on the session clock.
    package var now: ClockTime { clock.now }
}
