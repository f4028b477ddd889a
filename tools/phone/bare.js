// A browser without an encoder and without a processor of tracks, as some phones have: JPEG, and the frames that an element shows.

delete window.VideoEncoder;
delete window.MediaStreamTrackProcessor;
